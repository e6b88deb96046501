#include "schedule/residue_index.h"

struct topo_lattice topo_lattice_of(const struct topo_matrix *matrix, struct topo_shift shift)
{
    struct topo_lattice lattice;
    lattice.high = topo_gcd(shift.m, matrix->senders);
    lattice.wide = topo_gcd(shift.n, matrix->receivers);
    lattice.s = matrix->senders / lattice.high;
    lattice.t = matrix->receivers / lattice.wide;
    lattice.u = shift.m / lattice.high;
    lattice.v = shift.n / lattice.wide;
    lattice.groups = topo_gcd(lattice.s, lattice.t);
    int64_t rest = lattice.t / lattice.groups;
    lattice.inverse_u = topo_inverse(lattice.u, lattice.s);
    lattice.inverse_sv = topo_inverse(topo_mul_mod(lattice.s / lattice.groups % rest, lattice.v % rest, rest), rest);
    return lattice;
}

struct topo_orbit_place topo_lattice_locate(const struct topo_lattice *lattice, int i, int j)
{
    int64_t a = i / lattice->high, b = j / lattice->wide, rest = lattice->t / lattice->groups;
    int64_t k = topo_mul_mod(a, lattice->inverse_u, lattice->s);
    int64_t lacks = topo_mod(b - topo_mul_mod(k % lattice->t, lattice->v, lattice->t), lattice->t);
    int64_t further = topo_mul_mod(lacks / lattice->groups % rest, lattice->inverse_sv, rest);
    return (struct topo_orbit_place){(int)(lacks % lattice->groups), k + lattice->s * further};
}
