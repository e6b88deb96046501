# What a site needs beside the programs: documents, the module file, bash completion. debian/ and spack/ are recipes.
# Documents lie as in the source, so that what names one, or a picture, finds it. The archive has them by EXTRA_DIST, and
# the measurements, too, which are not installed.
dist_doc_DATA = README.md NEWS.md HACKING.md LICENSE env.example
docsdir = $(docdir)/docs
docs_DATA = $(srcdir)/docs/*.md $(srcdir)/docs/*.svg
howtodir = $(docsdir)/howto
howto_DATA = $(srcdir)/docs/howto/*.md
reproductiondir = $(docsdir)/reproduction
reproduction_DATA = $(srcdir)/docs/reproduction/*
modulefiledir = $(datadir)/modulefiles/topompi
nodist_modulefile_DATA = packaging/modules/$(PACKAGE_VERSION)
CLEANFILES += packaging/modules/$(PACKAGE_VERSION)
packaging/modules/$(PACKAGE_VERSION): $(top_srcdir)/packaging/modules/topompi.in Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && sed -e 's|@VERSION[@]|$(PACKAGE_VERSION)|' \
		-e 's|@prefix[@]|$(prefix)|; s|@bindir[@]|$(bindir)|; s|@mandir[@]|$(mandir)|; s|@libdir[@]|$(libdir)|' \
		-e 's|@pkgconfigdir[@]|$(pkgconfigdir)|' $(top_srcdir)/packaging/modules/topompi.in >$@.new && mv $@.new $@
# The name by which bash-completion finds it for each tool.
completiondir = $(datadir)/bash-completion/completions
dist_completion_DATA = packaging/completion/topompi
install-data-hook:
	cd $(DESTDIR)$(completiondir) && for tool in topo-bench topo-dump topo-predict topo-predict-dvm topompi-run; do ln -sf topompi $$tool; done
# A core for another MPI, and its probe, beside a libtopompi.so of this version that is installed already:
# ./configure MPICC=its-mpicc --prefix=... && make install-core; CORE=abi: that core.
CORE = $(core_family)
.PHONY: install-core
install-core: src/libtopompi-core-$(CORE).la tools/topompi-run/topompi-probe-$(CORE)
	@sh $(srcdir)/packaging/same-version "$(DESTDIR)$(libdir)/libtopompi.so" $(PACKAGE_VERSION) $(CC)
	$(LIBTOOL) --mode=install $(INSTALL) src/libtopompi-core-$(CORE).la "$(DESTDIR)$(libdir)"
	rm -f "$(DESTDIR)$(libdir)/libtopompi-core-$(CORE).la"
	$(MKDIR_P) "$(DESTDIR)$(pkglibexecdir)"
	$(LIBTOOL) --mode=install $(INSTALL) tools/topompi-run/topompi-probe-$(CORE) "$(DESTDIR)$(pkglibexecdir)"
uninstall-hook:
	rm -f $(DESTDIR)$(libdir)/libtopompi-core-*.so $(DESTDIR)$(pkglibexecdir)/topompi-probe-*
	cd $(DESTDIR)$(completiondir) && rm -f topo-bench topo-dump topo-predict topo-predict-dvm topompi-run
EXTRA_DIST += packaging/README packaging/build-deb packaging/same-version packaging/source.sh packaging/try-deb packaging/wheel packaging/modules/topompi.in packaging/debian packaging/spack
