#include "select/condition.h"

#include <ctype.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static const char *const names[TOPO_QUANTITIES] = {"ranks", "nodes", "per_node", "per_node_min", "bytes"};

static const char grammar[] = "allowed in a comparison: numbers with K, M, G, ranks, nodes, per_node, per_node_min, "
                              "bytes, + - * / and parentheses, on both sides of one of < <= > >=, without blanks";

enum { STEPS = 48, NESTED = 12 };

/* Postfix: a number or a quantity goes on the stack, an operator takes two from it. */
struct step {
    enum { NUMBER, QUANTITY, OPERATOR } kind;
    int64_t value; /* the number, the quantity, the operator's character; 'l' and 'g' are <= and >= */
};

struct topo_condition {
    int steps;
    char *text;
    struct step step[];
};

struct parser {
    const char *at;
    int steps, nested;
    struct step step[STEPS];
};

bool topo_condition_is(const char *word)
{
    return strpbrk(word, "<>") != NULL;
}

static bool add(struct parser *parser, int kind, int64_t value)
{
    if (parser->steps == STEPS)
        return false;
    parser->step[parser->steps].kind = kind;
    parser->step[parser->steps++].value = value;
    return true;
}

static bool read_number(struct parser *parser)
{
    char digits[24];
    size_t length = strspn(parser->at, "0123456789"), bytes;
    length += parser->at[length] != '\0' && strchr("KMGkmg", parser->at[length]) != NULL;
    if (length >= sizeof digits)
        return false;
    memcpy(digits, parser->at, length);
    digits[length] = '\0';
    parser->at += length;
    return topo_parse_size(digits, &bytes) && bytes <= INT64_MAX && add(parser, NUMBER, (int64_t)bytes);
}

static bool read_name(struct parser *parser)
{
    size_t length = strspn(parser->at, "abcdefghijklmnopqrstuvwxyz_");
    for (int i = 0; i < TOPO_QUANTITIES; i++)
        if (length == strlen(names[i]) && !strncmp(parser->at, names[i], length)) {
            parser->at += length;
            return add(parser, QUANTITY, i);
        }
    return false;
}

static bool read_sum(struct parser *parser);

static bool read_factor(struct parser *parser)
{
    if (isdigit((unsigned char)*parser->at))
        return read_number(parser);
    if (*parser->at != '(')
        return read_name(parser);
    if (++parser->nested > NESTED)
        return false;
    parser->at++;
    if (!read_sum(parser) || *parser->at != ')')
        return false;
    parser->at++;
    parser->nested--;
    return true;
}

/* One operand or more, with one of `signs` between each two; they are taken from left to right. */
static bool read_chain(struct parser *parser, bool (*read_operand)(struct parser *), const char *signs)
{
    bool good = read_operand(parser);
    while (good && *parser->at && strchr(signs, *parser->at)) {
        char sign = *parser->at++;
        good = read_operand(parser) && add(parser, OPERATOR, sign);
    }
    return good;
}

static bool read_product(struct parser *parser)
{
    return read_chain(parser, read_factor, "*/");
}

static bool read_sum(struct parser *parser)
{
    return read_chain(parser, read_product, "+-");
}

static bool read_comparison(struct parser *parser)
{
    char sign;
    if (!read_sum(parser) || (*parser->at != '<' && *parser->at != '>'))
        return false;
    sign = *parser->at++;
    if (*parser->at == '=') {
        sign = sign == '<' ? 'l' : 'g';
        parser->at++;
    }
    return read_sum(parser) && !*parser->at && add(parser, OPERATOR, sign);
}

enum topo_status topo_condition_parse(const char *word, struct topo_condition **condition, const char **why)
{
    struct parser parser = {.at = word};
    *condition = NULL;
    *why = grammar;
    if (!read_comparison(&parser))
        return TOPO_PARSE;
    size_t bytes = (size_t)parser.steps * sizeof *parser.step, length = strlen(word) + 1;
    struct topo_condition *made = topo_alloc(1, sizeof *made + bytes + length);
    if (!made)
        return TOPO_NOMEM;
    made->steps = parser.steps;
    memcpy(made->step, parser.step, bytes);
    made->text = (char *)made->step + bytes;
    memcpy(made->text, word, length);
    *condition = made;
    return TOPO_OK;
}

void topo_condition_free(struct topo_condition *condition)
{
    topo_free(condition);
}

const char *topo_condition_text(const struct topo_condition *condition)
{
    return condition->text;
}

static int64_t apply(int64_t sign, int64_t a, int64_t b)
{
    int64_t result;
    switch (sign) {
    case '+': return __builtin_add_overflow(a, b, &result) ? a < 0 ? INT64_MIN : INT64_MAX : result;
    case '-': return __builtin_sub_overflow(a, b, &result) ? a < 0 ? INT64_MIN : INT64_MAX : result;
    case '*': return __builtin_mul_overflow(a, b, &result) ? (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX : result;
    case '/': return b == 0 || (a == INT64_MIN && b == -1) ? INT64_MAX : a / b;
    case '<': return a < b;
    case '>': return a > b;
    case 'l': return a <= b;
    default: return a >= b;
    }
}

bool topo_condition_holds(const struct topo_condition *condition, const struct topo_quantities *quantities)
{
    int64_t stack[STEPS];
    int depth = 0;
    for (int i = 0; i < condition->steps; i++) {
        const struct step *step = &condition->step[i];
        if (step->kind == OPERATOR) {
            depth--;
            stack[depth - 1] = apply(step->value, stack[depth - 1], stack[depth]);
        } else {
            stack[depth++] = step->kind == NUMBER ? step->value : quantities->value[step->value];
        }
    }
    return stack[0] != 0;
}
