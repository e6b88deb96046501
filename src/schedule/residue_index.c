#include "schedule/residue_index.h"

struct topo_residue_index topo_residue_index_of(const struct topo_matrix *matrix, struct topo_shift shift)
{
    struct topo_residue_index residues;
    residues.high = topo_gcd(shift.m, matrix->senders);
    residues.wide = topo_gcd(shift.n, matrix->receivers);
    residues.s = matrix->senders / residues.high;
    residues.t = matrix->receivers / residues.wide;
    residues.u = shift.m / residues.high;
    residues.v = shift.n / residues.wide;
    residues.groups = topo_gcd(residues.s, residues.t);
    int64_t rest = residues.t / residues.groups;
    residues.inverse_u = topo_inverse(residues.u, residues.s);
    residues.inverse_sv =
        topo_inverse(topo_mul_mod(residues.s / residues.groups % rest, residues.v % rest, rest), rest);
    return residues;
}

struct topo_orbit_place topo_residue_index_locate(const struct topo_residue_index *residues, int i, int j)
{
    int64_t a = i / residues->high, b = j / residues->wide, rest = residues->t / residues->groups;
    int64_t k = topo_mul_mod(a, residues->inverse_u, residues->s);
    int64_t lacks = topo_mod(b - topo_mul_mod(k % residues->t, residues->v, residues->t), residues->t);
    int64_t further = topo_mul_mod(lacks / residues->groups % rest, residues->inverse_sv, rest);
    return (struct topo_orbit_place){(int)(lacks % residues->groups), k + residues->s * further};
}
