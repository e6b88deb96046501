# topo-predict
