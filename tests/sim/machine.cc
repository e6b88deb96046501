/* The simulated machine, as SimGrid loads it: nodes of one processor each, which is their memory's bus (copies.c), on a
 * switch, or in racks whose links to the others are slower. SIM_MACHINE, "name value" pairs:
 *   nodes racks                      how many; racks 1: one switch
 *   rate latency                     of a node's link, bytes a second each way; seconds from node to node
 *   uplink                           a rack's link is slower by this factor than its nodes' links together
 *   bus bus_latency                  a node's memory, bytes a second; seconds of a message inside the node */
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>

#include <simgrid/s4u.hpp>

namespace sg4 = simgrid::s4u;

namespace
{

struct Machine {
    int nodes = 0, racks = 1;
    double rate = 0, latency = 0, uplink = 1, bus = 0, bus_latency = 0;
};

Machine read_machine()
{
    const char *text = std::getenv("SIM_MACHINE");
    std::istringstream words(text ? text : "");
    std::string name;
    double value;
    Machine machine;
    while (words >> name >> value) {
        if (name == "nodes")
            machine.nodes = static_cast<int>(value);
        else if (name == "racks")
            machine.racks = static_cast<int>(value);
        else if (name == "rate")
            machine.rate = value;
        else if (name == "latency")
            machine.latency = value;
        else if (name == "uplink")
            machine.uplink = value;
        else if (name == "bus")
            machine.bus = value;
        else if (name == "bus_latency")
            machine.bus_latency = value;
        else
            throw std::invalid_argument("SIM_MACHINE: " + name + " is not known");
    }
    if (machine.nodes < 1 || machine.racks < 1 || machine.nodes % machine.racks || machine.rate <= 0 ||
        machine.bus <= 0)
        throw std::invalid_argument("SIM_MACHINE: nodes, racks, rate or bus make no sense");
    return machine;
}

/* Node `number` in `zone`; half of the latency on its way out, half on the way in. */
void add_node(sg4::NetZone *zone, const Machine &machine, int number)
{
    const std::string name = "node-" + std::to_string(number);
    sg4::Host *host = zone->create_host(name, machine.bus);
    const auto *link =
        zone->create_split_duplex_link(name + "-link", machine.rate)->set_latency(machine.latency / 2)->seal();
    const sg4::Link *bus = zone->create_link(name + "-bus", machine.bus)->set_latency(machine.bus_latency)->seal();
    host->seal();
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {{link, sg4::LinkInRoute::Direction::UP}}, true);
    zone->add_route(host->get_netpoint(), host->get_netpoint(), nullptr, nullptr, {sg4::LinkInRoute(bus)}, false);
}

} // namespace

extern "C" void load_platform(const sg4::Engine &engine);
void load_platform(const sg4::Engine &)
{
    const Machine machine = read_machine();
    sg4::NetZone *switches = sg4::create_star_zone("machine");
    const int per_rack = machine.nodes / machine.racks;
    for (int rack = 0; rack < machine.racks && machine.racks > 1; rack++) {
        const std::string name = "rack-" + std::to_string(rack);
        sg4::NetZone *zone = sg4::create_star_zone(name);
        zone->set_parent(switches);
        for (int i = 0; i < per_rack; i++)
            add_node(zone, machine, rack * per_rack + i);
        auto *router = zone->create_router(name + "-switch");
        zone->add_route(router, nullptr, nullptr, nullptr, std::vector<sg4::LinkInRoute>{}, true);
        zone->seal();
        const auto *link = switches->create_split_duplex_link(name + "-link", machine.rate * per_rack / machine.uplink)
                               ->set_latency(machine.latency / 4)
                               ->seal();
        switches->add_route(zone->get_netpoint(), nullptr, router, nullptr, {{link, sg4::LinkInRoute::Direction::UP}},
                            true);
    }
    for (int i = 0; i < machine.nodes && machine.racks == 1; i++)
        add_node(switches, machine, i);
    switches->seal();
}
