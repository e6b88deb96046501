/* Sends that nobody waits for, as all eager ones are. SimGrid 3.32 keeps those under way in one list and goes through
 * all of it when one ends (CommImpl::finish()), which took half the time of a simulation of 1,024 ranks. Loaded before
 * SimGrid (tests/sim/run), they are a set, which does what the list is for: a reference to each until it ends. */
#include <dlfcn.h>
#include <unordered_set>

#include <xbt/base.h> /* which version.h needs */

#include <simgrid/version.h>

#if SIMGRID_VERSION_MAJOR == 3 && SIMGRID_VERSION_MINOR == 32 && defined(__LP64__)

namespace simgrid::kernel::activity
{

class ActivityImpl;
void intrusive_ptr_add_ref(ActivityImpl *activity);
void intrusive_ptr_release(ActivityImpl *activity);

class CommImpl
{ /* an ActivityImpl, from its first byte on */
  public:
    CommImpl &detach();
    void copy_data();
};

static std::unordered_set<CommImpl *> under_way;

static ActivityImpl *activity(CommImpl *comm)
{
    return reinterpret_cast<ActivityImpl *>(comm);
}

CommImpl &CommImpl::detach()
{
    enum { DETACHED = 192 }; /* where CommImpl has `bool detached_` */
    reinterpret_cast<bool *>(this)[DETACHED] = true;
    if (under_way.insert(this).second)
        intrusive_ptr_add_ref(activity(this));
    return *this;
}

/* Called by CommImpl::finish() alone, just before it takes the comm from its list; it goes on with the comm, so the
 * reference is given up when the next one ends. */
void CommImpl::copy_data()
{
    static void (*const real)(CommImpl *) =
        reinterpret_cast<void (*)(CommImpl *)>(dlsym(RTLD_NEXT, "_ZN7simgrid6kernel8activity8CommImpl9copy_dataEv"));
    static CommImpl *ended;
    real(this);
    if (!under_way.erase(this))
        return;
    if (ended)
        intrusive_ptr_release(activity(ended));
    ended = this;
}

} // namespace simgrid::kernel::activity

#endif
