# tools/setup.sh on machines that lack something, with the programs it asks replaced.
. "$TOP_SRCDIR/tests/lib.sh"
. "$TOP_SRCDIR/tools/setup.sh"
topo_root=$(mktemp -d) || exit 1
trap 'rm -rf "$topo_root"' EXIT
needs='
there   true
absent  false
gone    test -e /nonexistent'

# apt-get writes what it is asked for; `installs` makes it work.
apt-get() { echo "apt-get $*" >> "$topo_root/asked"; [ -n "$installs" ]; }
env() { shift; "$@"; }
sudo() { shift; [ -n "$sudoer" ] && "$@"; }
id() { echo "$user"; }

# expect NAME STATUS PATTERN...: of the installation of $needs.
expect() {
    local name=$1 wanted=$2 out status pattern
    shift 2
    : > "$topo_root/asked"
    out=$(setup_install "$needs" 2>&1)
    status=$?
    out+=$'\n'$(cat "$topo_root/asked")
    [ "$status" -eq "$wanted" ] || { fail "$name" "exit $status, expected $wanted: $out"; return; }
    for pattern in "$@"; do
        if [ "${pattern#!}" != "$pattern" ]; then
            ! printf '%s' "$out" | grep -qE -- "${pattern#!}" || { fail "$name" "'${pattern#!}' in: $out"; return; }
        else
            printf '%s' "$out" | grep -qE -- "$pattern" || { fail "$name" "no '$pattern' in: $out"; return; }
        fi
    done
    pass "$name"
}
user=0 sudoer='' installs=yes
expect "root installs" 0 'apt-get -q -y --no-install-recommends install absent gone$' 'still missing .*absent gone' '!there'
installs=''
expect "an installation that fails is said" 1 'could not install: absent gone'
user=1000 installs=yes
expect "a user without rights is told" 1 'sudo apt-get install absent gone' '!^apt-get'
sudoer=yes
expect "sudo without a password" 0 'install absent gone$'
needs='there true'
expect "nothing is missing" 0 '!apt-get' '!missing'

# configure is asked again, with what it was given, when something has come or gone since, and only then.
for script in configure config.status; do
    printf '#!/bin/sh\necho "%s $*" >>"%s"\n' $script "$topo_root/asked" >"$topo_root/$script"
    chmod +x "$topo_root/$script"
done
# configured NAME NEEDS EXPECTED WORD...: what is asked where the tests need NEEDS.
configured() {
    local name=$1 setup_build_needs='' setup_test_needs=$2 expected=$3 asked
    shift 3
    : >"$topo_root/asked"
    (cd "$topo_root" && setup_configure "$@")
    asked=$(tr '\n' ';' <"$topo_root/asked")
    if [ "$asked" = "$expected" ]; then pass "$name"; else fail "$name" "$asked, expected $expected"; fi
}
configured "at first" 'check false' 'configure -q --some;' --some
touch "$topo_root/Makefile"
configured "nothing has come" 'check false' ''
configured "a library has come" 'check true' 'config.status -q --recheck;config.status -q;'
configured "nothing has gone" 'check true' ''
configured "arguments" 'check true' 'configure -q --other;' --other
rm "$topo_root/configured-without"
configured "configured by hand" 'check true' 'config.status -q --recheck;config.status -q;'
finish
