# shellcheck shell=bash disable=SC2154,SC1091
# The namespaces, links and rates of a cluster; sourced by `cluster`.

# Options of unshare that an ordinary user needs; root does without.
user_namespace=()
enter_user=()
[ "$(id -u)" -eq 0 ] || { user_namespace=(--user --map-root-user) enter_user=(--user --preserve-credentials); }

# Exit status 77 and the reason when clusters cannot be made here.
can_make() {
    local tool why
    for tool in unshare nsenter ip tc awk setsid mount; do
        command -v $tool >/dev/null || { echo "cluster: skipped: $tool is missing (Debian: util-linux iproute2)" >&2; return 77; }
    done
    # Everything of which a cluster consists, once.
    why=$(unshare "${user_namespace[@]}" --pid --fork --net --mount --uts --ipc --propagation private "$self" _probe 2>&1) &&
        return 0
    echo "cluster: skipped: no right to make namespaces and links here: $(tail -n 1 <<<"$why")" >&2
    return 77
}

probe() {
    set -e
    mtu=1500
    mount -t proc proc /proc
    mount -t tmpfs tmpfs /dev/shm
    hostname probe
    ip link add probe0 type veth peer name probe1
    ip link add probe2 type bridge
    limit probe0 1gbit $pause_in
}

# The cluster's files, before any namespace exists: every node sees `hosts` as its /etc/hosts.
write_files() {
    local i r last
    mkdir "$state/tmp"
    {
        echo "127.0.0.1 localhost"
        for ((i = 0; i < nodes; i++)); do echo "10.0.0.$((i + 1)) node$i"; done
    } >"$state/hosts"
    for ((i = 0; i < nodes; i++)); do echo "node$i slots=${slots[i]}"; done >"$state/hostfile"
    {
        for ((r = 0; r < racks; r++)); do
            last=$(((r + 1) * nodes / racks - 1))
            echo "SwitchName=rack$r Nodes=node[$((r * nodes / racks))-$last]"
        done
        [ "$racks" -eq 1 ] || echo "SwitchName=core Switches=rack[0-$((racks - 1))]"
    } >"$state/topology.conf"
    {
        printf '%s=%q\n' nodes "$nodes" rate "$rate" racks "$racks" uplink "$uplink"
        echo "slots=(${slots[*]})"
    } >"$state/shape"
    # Starts a command on a node: what ssh is on a real cluster, environment included (none is handed on).
    cat >"$state/agent" <<AGENT
#!/bin/bash
while [[ \$1 == -* ]]; do shift; done
node=\$1
shift
exec nsenter --target "\$(cat '$state'/node."\${node#node}")" --net --uts --ipc --mount -- \\
    env -i PATH="\$PATH" HOME="\$HOME" LD_LIBRARY_PATH="\${LD_LIBRARY_PATH-}" TMPDIR='$state/tmp' /bin/sh -c "\$*"
AGENT
    chmod +x "$state/agent"
}

# Bytes of a packet, for a node's rate: what the link carries in 320 us, 40,000 at 1 Gbit/s. Long, because a packet
# costs this host some 20 us of its processors, which must not be what limits the links.
packet_bytes() {
    local bytes=$(($(rate_bits "$1") / 8 * 320 / 1000000))
    [ $bytes -ge 1500 ] || bytes=1500
    [ $bytes -le 40000 ] || bytes=40000
    echo $bytes
}

# limit DEVICE RATE PAUSE: what leaves DEVICE goes at RATE, a single packet too.
# A token bucket alone lets the first packet after a pause pass at once. So each is preceded by a copy of itself, which
# is dropped behind the bucket, at twice the rate: a packet waits for half of its time on the link, the other half of the
# link is busy behind it. The link of the sender's node and that of the receiver's together take the whole
# time of a message, and not more, as a switch does that forwards while it receives.
# Timers are some 20 us late, and a busy host's a few hundred. PAUSE (us) is what passes too early after a pause, which makes
# up for the former. What a late timer loses beyond that is caught up with at three per cent more than the rate, as much as
# the link carries in LATE us: without it links in use in both directions at once, or many of them, lose up to a tenth.
limit() {
    local shaper=shape_$1 bits most
    bits=$(($(rate_bits "$2") * 201 / 100)) most=$(($(rate_bits "$2") * 207 / 100))
    ip link add "$shaper" mtu "$mtu" type ifb
    ip link set "$shaper" up
    tc qdisc add dev "$shaper" root handle 1: htb default 1
    # A class may run into debt by a packet of any length: the bursts need not hold one.
    tc class add dev "$shaper" parent 1: classid 1:1 htb rate ${bits}bit burst $((bits / 8 * late / 1000000)) \
        ceil ${most}bit cburst $((most / 8 * $3 / 1000000)) quantum 200000
    # The queue never drops: a lost TCP segment costs 200 ms.
    tc qdisc add dev "$shaper" parent 1:1 bfifo limit 64m
    tc qdisc add dev "$1" clsact
    tc filter add dev "$1" egress protocol all u32 match u32 0 0 \
        action mirred egress mirror dev "$shaper" pipe action mirred egress redirect dev "$shaper"
}
# With shorter pauses a link in use loses its time to late timers; with longer ones single messages of 4 to 8 KiB would come
# too early.
pause_out=12 pause_in=28 late=250

# join DEVICE BRIDGE: a port of the bridge, no longer packets than the mtu (the kernel would put many together).
join() {
    ip link set "$1" mtu "$mtu" gso_max_segs 1 master "$2" up
}

# Process 1 of the cluster: makes everything, says so in the file `ready`, and stays.
fabric() {
    local i r pid started rack
    set -e
    state=$1
    # Still the host's /proc: our number there, by which the cluster is ended.
    read -r pid _ </proc/self/stat
    started=$(awk '{ sub(/.*\) /, ""); print $20 }' /proc/"$pid"/stat)
    mount -t proc proc /proc
    . "$state/shape"
    mtu=$(packet_bytes "$rate")
    ip link set lo up
    for ((r = 0; r < racks; r++)); do
        ip link add bridge$r type bridge stp_state 0 forward_delay 0 mcast_snooping 0
        ip link set bridge$r mtu "$mtu" up
    done
    join_racks
    for ((i = 0; i < nodes; i++)); do
        # The namespaces exist when the node has written its process number.
        unshare --net --uts --ipc --mount --propagation private "$self" _node "$state" $i &
    done
    for ((i = 0; i < nodes; i++)); do
        while [ ! -s "$state/node.$i" ]; do
            kill -0 "$(jobs -p | sed -n $((i + 1))p)" || exit 1
            sleep 0.01
        done
        rack=$((i * racks / nodes))
        ip link add port$i mtu "$mtu" type veth peer name eth0 mtu "$mtu" netns "$(cat "$state/node.$i")"
        join port$i bridge$rack
        limit port$i "$rate" $pause_in
        nsenter --target "$(cat "$state/node.$i")" --net -- "$self" _link "$state" $i
    done
    printf '%s=%s\n' pid "$pid" started "$started" >>"$state/shape"
    mv "$state/shape" "$state/ready"
    set +e
    # Process 1 must collect what dies without a parent, which bash does while it waits.
    while :; do
        sleep 86400 &
        wait
    done
}

# Two racks are joined directly; more by a bridge of their own, one uplink a rack.
join_racks() {
    local r
    [ "$racks" -gt 1 ] || return 0
    if [ "$racks" -gt 2 ]; then
        ip link add core type bridge stp_state 0 forward_delay 0 mcast_snooping 0
        ip link set core mtu "$mtu" up
    fi
    for ((r = 0; r < racks; r++)); do
        if [ "$racks" -gt 2 ]; then
            ip link add up$r mtu "$mtu" type veth peer name down$r mtu "$mtu"
            join down$r core
            limit down$r "$uplink" $pause_in
        elif [ $r -eq 0 ]; then
            ip link add up0 mtu "$mtu" type veth peer name up1 mtu "$mtu"
        fi
        join up$r bridge$r
        limit up$r "$uplink" $pause_in
    done
}

# /sys would say what the host's links are: here it says what the node's is (docs/MEASURING.md). Interfaces are links there;
# UCX looks at nothing else.
hide_links() { # STATE NODE
    local net=$1/net.$2 interface=$1/eth0.$2
    . "$1/shape"
    mkdir -p "$net" "$interface/device"
    echo 1 >"$interface/type"
    echo up >"$interface/operstate"
    echo $((($(rate_bits "$rate") + 500000) / 1000000)) >"$interface/speed"
    ln -sfn "$interface" "$net/eth0"
    mount --bind "$net" /sys/class/net
    [ ! -d /sys/class/infiniband ] || mount -t tmpfs tmpfs /sys/class/infiniband
}

# A node: own host name, hosts file, shared memory and temporary files; then it only exists.
node() {
    set -e
    state=$1
    hostname "node$2"
    mount -t tmpfs -o mode=1777 tmpfs /dev/shm
    mount -t tmpfs -o mode=1777 tmpfs "$state/tmp"
    mount --bind "$state/hosts" /etc/hosts
    hide_links "$state" "$2"
    ip link set lo up
    echo $$ >"$state/node.$2"
    exec sleep infinity
}

# The node's end of its link; runs in the node's network namespace.
node_link() {
    set -e
    state=$1
    . "$state/shape"
    mtu=$(packet_bytes "$rate")
    ip link set eth0 gso_max_segs 1
    ip address add "10.0.0.$(($2 + 1))/24" dev eth0
    ip link set eth0 up
    limit eth0 "$rate" $pause_out
    # A pause must not make the next message slow: ranks pause between any two collectives.
    echo 0 >/proc/sys/net/ipv4/tcp_slow_start_after_idle 2>/dev/null || true
    # The same on every host, and in every kernel. bbr, where that is the host's, guesses the rate of a connection from
    # the few bytes that went before.
    echo reno >/proc/sys/net/ipv4/tcp_congestion_control
}

# enter NODE COMMAND...: from the host into a node.
enter() {
    local node=$1
    shift
    alive || die "cluster '$name' is no longer running; cluster down $name removes its files"
    nsenter --target "$pid" "${enter_user[@]}" --pid --mount --net --uts --ipc -- \
        nsenter --target "$(cat "$state/node.$node")" --net --uts --ipc --mount --wd="$PWD" -- \
        env TMPDIR="$state/tmp" "$@"
}
