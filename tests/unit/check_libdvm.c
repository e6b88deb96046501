/* Reading Lib-DVM traces and Predictor.par: what is accepted, what is said of bad input, and that nothing crashes. */
#include "unit.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "topo-predict-dvm/dvm_model.h"
#include "damage.h"

static struct topo_dvm_trace trace;
static struct topo_notes notes;

static enum topo_status parse(const char *text)
{
    topo_dvm_trace_free(&trace);
    topo_notes_free(&notes);
    return topo_dvm_parse(text, strlen(text), "t.trc", &trace, &notes);
}

static void says(const char *part)
{
    bool found = false;
    for (int i = 0; i < notes.kept; i++)
        found = found || strstr(notes.list[i].text, part);
    ck_assert_msg(found, "a note says '%s'; the first says '%s'", part, notes.kept ? notes.list[0].text : "");
}

START_TEST(reads_the_documents_example)
{
    const char *text = "VProcCount=4;  VPSRank=2; VPSSize= 2 2;\n"
                       "call_getlen_ TIME=0.000005 LINE=31 FILE=GAUSS_C.CDV\r\n"
                       "ArrayHandlePtr=951cd0; A[0]=1;\tA[1]=-2;   P=3 (AMView);\r\n"
                       "\n"
                       "ret_getlen_ TIME=0.000002 LINE=31 FILE=GAUSS_C.CDV\n"
                       "Res=4;";
    long value, values[4];
    ck_assert_msg(parse(text) == TOPO_OK, "%s", notes.kept ? notes.list[0].text : "");
    ck_assert_uint_eq(trace.count, 1);
    const struct topo_dvm_call *call = &trace.calls[0];
    ck_assert_str_eq(call->name, "getlen_");
    ck_assert_str_eq(call->file, "GAUSS_C.CDV");
    ck_assert_int_eq(call->line, 31);
    ck_assert_int_eq(call->trace_line, 2);
    ck_assert_double_eq(call->call_time, 5e-6);
    ck_assert_double_eq(call->return_time, 2e-6);
    ck_assert(topo_dvm_number(&trace, call, TOPO_DVM_IN, "ArrayHandlePtr", 16, &value) && value == 0x951cd0);
    ck_assert(topo_dvm_number(&trace, call, TOPO_DVM_OUT, "Res", 10, &value) && value == 4);
    ck_assert(!topo_dvm_number(&trace, call, TOPO_DVM_IN, "Res", 10, &value));
    ck_assert_int_eq(topo_dvm_numbers(&trace, call, "A", 4, values), 2);
    ck_assert(values[0] == 1 && values[1] == -2);
    ck_assert_msg(topo_dvm_text(&trace, call, TOPO_DVM_IN, "(AMView)"), "the remark is kept");
    ck_assert_int_eq(trace.dimensions, 2);
    ck_assert(trace.size[0] == 2 && trace.size[1] == 2);
}
END_TEST

START_TEST(nested_calls_are_part_of_the_outer_one)
{
    ck_assert(parse("call_realn_ TIME=1 LINE=1 FILE=f\nA=1;\n"
                    "call_crtda_ TIME=2 LINE=1 FILE=f\nB=2;\n"
                    "ret_crtda_ TIME=3 LINE=1 FILE=f\nArrayHandlePtr=7;\n"
                    "ret_realn_ TIME=4 LINE=1 FILE=f\nC=3;\n") == TOPO_OK);
    ck_assert_uint_eq(trace.count, 2);
    ck_assert_int_eq(trace.calls[0].depth, 0);
    ck_assert_int_eq(trace.calls[1].depth, 1);
    ck_assert_double_eq(trace.calls[0].return_time, 2 + 3 + 4);
    ck_assert_str_eq(topo_dvm_text(&trace, &trace.calls[0], TOPO_DVM_OUT, "C"), "3");
    ck_assert_str_eq(topo_dvm_text(&trace, &trace.calls[1], TOPO_DVM_OUT, "ArrayHandlePtr"), "7");
    ck_assert(!topo_dvm_text(&trace, &trace.calls[0], TOPO_DVM_IN, "B"));
}
END_TEST

START_TEST(what_is_in_front_of_the_program_is_left_out)
{
    ck_assert(parse("call_mps_Barrier TIME=1 LINE=1 FILE=f\nret_mps_Barrier TIME=1 LINE=1 FILE=f\n"
                    "ret_dvm_Init TIME=1 LINE=1 FILE=f\n"
                    "call_a_ TIME=1 LINE=1 FILE=f\nret_a_ TIME=1 LINE=1 FILE=f\n") == TOPO_OK);
    ck_assert_uint_eq(trace.count, 1);
    ck_assert_str_eq(trace.calls[0].name, "a_");
}
END_TEST

START_TEST(bad_traces)
{
    ck_assert(parse("nothing here\nat all\n") == TOPO_PARSE);
    says("t.trc: no Lib-DVM trace");
    ck_assert(parse("") == TOPO_PARSE);
    ck_assert(
        parse("call_a_ TIME=1 LINE=1 FILE=f\nret_a_ TIME=1 LINE=1 FILE=f\ncall_b_ TIME=1 LINE=2 FILE=f\nX=1;\n") ==
        TOPO_PARSE);
    says("t.trc:4: the trace ends before call b_ (line 3) returns");
    ck_assert_msg(trace.count == 2 && trace.calls[0].returned && !trace.calls[1].returned, "what was read is kept");
    ck_assert(parse("call_a_ TIME=x LINE=1 FILE=f\n") == TOPO_PARSE);
    says("t.trc:1: TIME is not a number of seconds from 0 to 1e9: 'x");
    ck_assert(parse("call_a_ TIME=-1 LINE=1 FILE=f\n") == TOPO_PARSE);
    ck_assert(parse("call_a_ TIME=inf LINE=1 FILE=f\n") == TOPO_PARSE);
    ck_assert(parse("call_a_ TIME=1e300 LINE=1 FILE=f\n") == TOPO_PARSE);
    ck_assert(parse("call_a_ TIME=1 LINE=z FILE=f\n") == TOPO_PARSE);
    says("LINE is not a line number");
    ck_assert(parse("call_a_ TIME=1 FILE=f\n") == TOPO_PARSE);
    says("needs NAME TIME=seconds LINE=number FILE=name");
    ck_assert(parse("call_a_ TIME=1 LINE=1 FILE=f\nret_b_ TIME=1 LINE=1 FILE=f\nret_a_ TIME=1 LINE=1 FILE=f\n") ==
              TOPO_PARSE);
    says("t.trc:2: return of a call that was not made: 'b_'");
    topo_dvm_trace_free(&trace);
    ck_assert(topo_dvm_read("/nonexistent/t.trc", &trace, &notes) == TOPO_IO);
    says("/nonexistent/t.trc");
}
END_TEST

/* Calls that name objects which are not there, or sizes nobody has: noted, timed by the main rule, no crash. */
START_TEST(bad_calls)
{
    static const struct {
        const char *call, *in, *out, *note;
    } cases[] = {
        {"crtda_", "Rank=2; TypeSize=8;\nSizeArray[0]=4;", "ArrayHandlePtr=1;", "no parameter SizeArray[1]"},
        {"crtda_", "Rank=9; TypeSize=8;", "ArrayHandlePtr=1;", "Rank=9; allowed: 1..8"},
        {"crtda_", "Rank=1; TypeSize=8; SizeArray[0]=0;", "ArrayHandlePtr=1;", "sizes must be at least 1"},
        {"crtda_", "Rank=2; TypeSize=8; SizeArray[0]=9999999999; SizeArray[1]=9999999999;", "ArrayHandlePtr=1;",
         "2^50"},
        {"crtda_", "Rank=1; TypeSize=-8; SizeArray[0]=5;", "ArrayHandlePtr=1;", "TypeSize=-8"},
        {"align_", "ArrayHandlePtr=77;", "", "ArrayHandlePtr=77: no such object"},
        {"distr_", "AMViewRef=c0; PSRef=99; ParamCount=0;", "", "AMViewRef=c0: no such object"},
        {"waitsh_", "ShadowGroupRef=5;", "", "ShadowGroupRef=5: no such object"},
        {"dopl_", "LoopRef=5;", "", "no parallel loop was mapped"},
        {"mappl_", "LoopRef=5;", "", "no parallel loop was created"},
        {"strtrd_", "RedGroupRef=zz;", "", "RedGroupRef=zz is no number of base 16"},
        {"einter_", "", "", "the current interval is of kind program"},
        {"stopam_", "", "", "no task is running"},
        {"eiof_", "", "", "no biof_ before"},
        {"srmem_", "", "", "no parameter LengthArray[0]"},
        {"crtps_", "PSRef=0; InitIndexArray[0]=0; LastIndexArray[0]=9;", "PSRef=1;",
         "processors 0..9 along dimension 1"},
        {"psview_", "PSRef=0; Rank=1; SizeArray[0]=9;", "PSRef=1;", "a view of 9 processors; the machine has 4"},
        {"runam_", "AMRef=1;", "", "AMRef=1: no such object"},
        {"crtred_", "RedArrayType=9; RedArrayLength=1; LocElmLength=0;", "RedRef=1;", "RedArrayType=9"},
        {"arrcpy_", "FromArrayHandlePtr=4;", "", "FromArrayHandlePtr=4: no such object"},
    };
    struct topo_dvm_par par;
    topo_dvm_par_default(&par);
    par.machine.dimensions = 1;
    par.machine.size[0] = 4;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        struct topo_intervals intervals;
        snprintf(text, sizeof text, "call_%s TIME=0.25 LINE=3 FILE=f.c\n%s\nret_%s TIME=0.5 LINE=3 FILE=f.c\n%s\n",
                 cases[i].call, cases[i].in, cases[i].call, cases[i].out);
        ck_assert(parse(text) == TOPO_OK);
        ck_assert_msg(topo_dvm_predict(&trace, &par, &intervals, &notes) == TOPO_PARSE, "%s is an error",
                      cases[i].call);
        says(cases[i].note);
        says("t.trc:1:");
        says("f.c:3");
        ck_assert_msg(intervals.root->times[3].execution == 0.75, "%s is timed by the main rule, not %g", cases[i].call,
                      intervals.root->times[3].execution);
        topo_intervals_free(&intervals);
    }
    ck_assert(parse("call_binter_ TIME=0 LINE=3 FILE=f.c\nret_binter_ TIME=0 LINE=3 FILE=f.c\n") == TOPO_OK);
    struct topo_intervals intervals;
    ck_assert(topo_dvm_predict(&trace, &par, &intervals, &notes) == TOPO_PARSE);
    says("interval f.c:3 does not end");
    topo_intervals_free(&intervals);
}
END_TEST

/* Every golden trace damaged, then modelled: an error is told, and what could be read is reported. */
START_TEST(damaged_traces)
{
    static const char *const files[] = {"loop",
                                        "shadow",
                                        "realign",
                                        "realign_part",
                                        "copy",
                                        "io",
                                        "tasks",
                                        "psview",
                                        "intervals",
                                        "main",
                                        "redistribute",
                                        "reduction",
                                        "reduction_section",
                                        "replicated_loop"};
    char path[300], *text = NULL;
    size_t length;
    struct topo_dvm_par par;
    damage_seed(20000 + (unsigned)_i);
    snprintf(path, sizeof path, TEST_DATA "/dvm/%s.trc", files[(size_t)_i % (sizeof files / sizeof *files)]);
    ck_assert(topo_read_file(path, &text, &length, NULL) == TOPO_OK);
    topo_dvm_par_default(&par);
    par.machine.dimensions = 2;
    par.machine.size[0] = par.machine.size[1] = 2;
    for (int round = 0; round < 200; round++) {
        struct topo_intervals intervals;
        size_t size = length;
        char *copy = damaged(text, &size);
        topo_dvm_trace_free(&trace);
        topo_notes_free(&notes);
        enum topo_status status = topo_dvm_parse(copy, size, "d.trc", &trace, &notes);
        ck_assert(status == TOPO_OK || (status == TOPO_PARSE && notes.errors && strstr(notes.list[0].text, "d.trc")));
        status = topo_dvm_predict(&trace, &par, &intervals, &notes);
        ck_assert_msg(status == TOPO_OK || status == TOPO_PARSE, "%s", topo_status_text(status));
        ck_assert(intervals.root->execution >= 0);
        topo_intervals_free(&intervals);
        topo_free(copy);
    }
    topo_free(text);
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_dvm_par par;
    struct topo_intervals intervals;
    topo_dvm_par_default(&par);
    par.machine.dimensions = 2;
    par.machine.size[0] = par.machine.size[1] = 2;
    UNIT_OUT_OF_MEMORY(topo_dvm_read(TEST_DATA "/dvm/shadow.trc", &trace, &notes), topo_notes_free(&notes);
                       if (status != TOPO_OK) topo_dvm_trace_free(&trace));
    UNIT_OUT_OF_MEMORY(topo_dvm_predict(&trace, &par, &intervals, &notes), topo_notes_free(&notes));
    topo_intervals_free(&intervals);
    topo_dvm_trace_free(&trace);
}
END_TEST

UNIT_MAIN("libdvm", {reads_the_documents_example}, {nested_calls_are_part_of_the_outer_one},
          {what_is_in_front_of_the_program_is_left_out}, {bad_traces}, {bad_calls}, {damaged_traces, 28},
          {out_of_memory})
