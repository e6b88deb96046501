# topo-dump
