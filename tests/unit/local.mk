# Unit tests: check_<module>.c is the test of src/<folder>/<module>.c (test_names.sh), a program of its own.
if HAVE_CHECK
AM_CPPFLAGS += -I$(top_srcdir)/tests $(CHECK_CFLAGS)
# Of every program that names no LDADD.
LDADD = src/libtools.la $(CHECK_LIBS) -lm
unit_checks = \
	tests/unit/check_address \
	tests/unit/check_algorithm \
	tests/unit/check_allreduce_shape \
	tests/unit/check_array \
	tests/unit/check_links \
	tests/unit/check_forms \
	tests/unit/check_bcast_tree \
	tests/unit/check_bench_arrival \
	tests/unit/check_bench_bound \
	tests/unit/check_bench_guideline \
	tests/unit/check_bench_guideline_report \
	tests/unit/check_bench_paired \
	tests/unit/check_bench_progress \
	tests/unit/check_bench_report \
	tests/unit/check_bench_sizes \
	tests/unit/check_blocks \
	tests/unit/check_contention \
	tests/unit/check_build \
	tests/unit/check_by_model \
	tests/unit/check_cache \
	tests/unit/check_caches \
	tests/unit/check_candidates \
	tests/unit/check_call_times \
	tests/unit/check_chain \
	tests/unit/check_chains \
	tests/unit/check_circulant \
	tests/unit/check_condition \
	tests/unit/check_contest \
	tests/unit/check_copy \
	tests/unit/check_cost \
	tests/unit/check_cost_plans \
	tests/unit/check_css \
	tests/unit/check_descend \
	tests/unit/check_drc \
	tests/unit/check_dvm_map \
	tests/unit/check_dvm_model \
	tests/unit/check_dvm_traffic \
	tests/unit/check_dvm_par \
	tests/unit/check_exchange \
	tests/unit/check_fields \
	tests/unit/check_file \
	tests/unit/check_findings \
	tests/unit/check_gather \
	tests/unit/check_gather_lanes \
	tests/unit/check_ggp \
	tests/unit/check_graph \
	tests/unit/check_grid \
	tests/unit/check_grid_choice \
	tests/unit/check_halving \
	tests/unit/check_hostlist \
	tests/unit/check_interval \
	tests/unit/check_levels \
	tests/unit/check_libdvm \
	tests/unit/check_link \
	tests/unit/check_load \
	tests/unit/check_log \
	tests/unit/check_machine_file \
	tests/unit/check_mapping \
	tests/unit/check_matching \
	tests/unit/check_matrix \
	tests/unit/check_matrix_file \
	tests/unit/check_memory \
	tests/unit/check_metis \
	tests/unit/check_names \
	tests/unit/check_near_shift \
	tests/unit/check_node_groups \
	tests/unit/check_node_steps \
	tests/unit/check_notes \
	tests/unit/check_numbers \
	tests/unit/check_numbers_search \
	tests/unit/check_options \
	tests/unit/check_order \
	tests/unit/check_packet \
	tests/unit/check_parameters \
	tests/unit/check_params \
	tests/unit/check_price \
	tests/unit/check_partition \
	tests/unit/check_paths \
	tests/unit/check_pipeline \
	tests/unit/check_place_pack \
	tests/unit/check_places \
	tests/unit/check_plain \
	tests/unit/check_processors \
	tests/unit/check_random \
	tests/unit/check_read \
	tests/unit/check_recurrence \
	tests/unit/check_redistribute \
	tests/unit/check_reduce_cut \
	tests/unit/check_sum_lanes \
	tests/unit/check_refine \
	tests/unit/check_regular \
	tests/unit/check_replay \
	tests/unit/check_replay_clock \
	tests/unit/check_replay_cost \
	tests/unit/check_replay_group \
	tests/unit/check_replay_scale \
	tests/unit/check_report \
	tests/unit/check_residue_index \
	tests/unit/check_rule \
	tests/unit/check_schedule \
	tests/unit/check_scheduler \
	tests/unit/check_select \
	tests/unit/check_shared_cores \
	tests/unit/check_sheets \
	tests/unit/check_shipped \
	tests/unit/check_slurm \
	tests/unit/check_status \
	tests/unit/check_stripes \
	tests/unit/check_sum_ranks \
	tests/unit/check_switches \
	tests/unit/check_synthetic \
	tests/unit/check_table \
	tests/unit/check_text \
	tests/unit/check_topology_conf \
	tests/unit/check_topology_yaml \
	tests/unit/check_trace_interval \
	tests/unit/check_trace_matrix \
	tests/unit/check_traced \
	tests/unit/check_transfer \
	tests/unit/check_tree \
	tests/unit/check_plan \
	tests/unit/check_rooted \
	tests/unit/check_scan \
	tests/unit/check_run \
	tests/unit/check_together \
	tests/unit/check_trees \
	tests/unit/check_trees_racks \
	tests/unit/check_trees_shape \
	tests/unit/check_tree_pack \
	tests/unit/check_tuning \
	tests/unit/check_verdicts \
	tests/unit/check_write
check_PROGRAMS += $(unit_checks)
TESTS += $(unit_checks)
# Plays an application that has a METIS of its own.
tests_unit_check_mapping_SOURCES = tests/unit/check_mapping.c tests/unit/mapping_process.c \
	tests/unit/mapping_process.h
tests_unit_check_mapping_LDFLAGS = -export-dynamic
# Compares with METIS itself.
tests_unit_check_partition_LDADD = $(LDADD) $(METIS_LIBS)
# topo-predict-dvm's model.
dvm_cppflags = $(tools_cppflags) -DTEST_DATA='"$(abs_top_srcdir)/tests/data"'
dvm_ldadd = tools/libdvm.la $(LDADD)
tests_unit_check_dvm_map_CPPFLAGS = $(dvm_cppflags)
tests_unit_check_dvm_map_LDADD = $(dvm_ldadd)
tests_unit_check_dvm_model_CPPFLAGS = $(dvm_cppflags)
tests_unit_check_dvm_model_LDADD = $(dvm_ldadd)
tests_unit_check_dvm_par_CPPFLAGS = $(dvm_cppflags)
tests_unit_check_dvm_par_LDADD = $(dvm_ldadd)
tests_unit_check_dvm_traffic_CPPFLAGS = $(dvm_cppflags)
tests_unit_check_dvm_traffic_LDADD = $(dvm_ldadd)
tests_unit_check_libdvm_CPPFLAGS = $(dvm_cppflags)
tests_unit_check_libdvm_LDADD = $(dvm_ldadd)
tests_unit_check_transfer_CPPFLAGS = $(dvm_cppflags)
tests_unit_check_transfer_LDADD = $(dvm_ldadd)
tests_unit_check_shipped_CPPFLAGS = $(AM_CPPFLAGS) -DTEST_DATA='"$(abs_top_srcdir)/tests/data"' -DTOPO_PKGDATADIR='"$(pkgdatadir)"'
# topo-bench's arithmetic and output.
bench_cppflags = $(tools_cppflags) $(JANSSON_CFLAGS)
bench_ldadd = tools/libbench.la $(LDADD) $(JANSSON_LIBS)
tests_unit_check_bench_arrival_CPPFLAGS = $(bench_cppflags)
tests_unit_check_bench_arrival_LDADD = $(bench_ldadd)
tests_unit_check_bench_bound_CPPFLAGS = $(bench_cppflags)
tests_unit_check_bench_bound_LDADD = $(bench_ldadd)
tests_unit_check_bench_guideline_CPPFLAGS = $(bench_cppflags)
tests_unit_check_bench_guideline_LDADD = $(bench_ldadd)
tests_unit_check_bench_guideline_report_CPPFLAGS = $(bench_cppflags)
tests_unit_check_bench_guideline_report_LDADD = $(bench_ldadd)
tests_unit_check_bench_paired_CPPFLAGS = $(bench_cppflags)
tests_unit_check_bench_paired_LDADD = $(bench_ldadd)
tests_unit_check_bench_progress_CPPFLAGS = $(bench_cppflags)
tests_unit_check_bench_progress_LDADD = $(bench_ldadd)
tests_unit_check_bench_report_CPPFLAGS = $(bench_cppflags)
tests_unit_check_bench_report_LDADD = $(bench_ldadd)
tests_unit_check_bench_sizes_CPPFLAGS = $(bench_cppflags)
tests_unit_check_bench_sizes_LDADD = $(bench_ldadd)
endif

# Not run as a test, and without Check: what test_work.sh counts, and what measures by itself.
check_PROGRAMS += tests/unit/work
tests_unit_work_SOURCES = tests/unit/work.c
tests_unit_work_LDADD = src/libtools.la -lm

unit_scripts = \
	tests/unit/test_abi.sh \
	tests/unit/test_bench_report.sh \
	tests/unit/test_budgets.sh \
	tests/unit/test_completion.sh \
	tests/unit/test_dist.sh \
	tests/unit/test_edges.sh \
	tests/unit/test_families.sh \
	tests/unit/test_faq.sh \
	tests/unit/test_files.sh \
	tests/unit/test_generated.sh \
	tests/unit/test_install.sh \
	tests/unit/test_links.sh \
	tests/unit/test_man.sh \
	tests/unit/test_mpi_wrapper.sh \
	tests/unit/test_names.sh \
	tests/unit/test_placement.sh \
	tests/unit/test_plans.sh \
	tests/unit/test_readme.sh \
	tests/unit/test_reproduce.sh \
	tests/unit/test_schedule.sh \
	tests/unit/test_setup.sh \
	tests/unit/test_spack.sh \
	tests/unit/test_stats_files.sh \
	tests/unit/test_tools.sh \
	tests/unit/test_topo_dump.sh \
	tests/unit/test_topo_dump_allreduce.sh \
	tests/unit/test_topo_dump_rules.sh \
	tests/unit/test_topo_predict_dvm.sh \
	tests/unit/test_topo_predict_mpi.sh \
	tests/unit/test_wheel.sh \
	tests/unit/test_work.sh
TESTS += $(unit_scripts)
EXTRA_DIST += $(unit_scripts) tests/unit/damage.h tests/unit/dump.sh tests/unit/dvm_arrays.h tests/unit/graphs.h \
	tests/unit/lateness.h tests/unit/machines.h tests/unit/node_steps_play.h tests/unit/params.h tests/unit/schedule.h \
	tests/unit/unit.h tests/unit/picture.py tests/unit/spack_recipe.py \
	tests/unit/write_report.py tests/unit/write_trace.py tests/data/dvm \
	tests/data/machine/uneven.xml tests/data/rules_answers.txt tests/data/topo-bench tests/data/topo-dump/golden8.json \
	tests/data/topo-dump/grid.txt tests/data/topo-dump/stripes.txt tests/data/topo-dump/switches.txt \
	tests/data/topo-dump/stats_diff.txt tests/data/topo-dump/topology.conf
