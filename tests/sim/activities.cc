/* Activities that SimGrid 3.32 keeps in lists, and goes through all of a list when one of them ends: most of the time of a
 * simulation of 1,024 ranks. Loaded before SimGrid (tests/sim/run), so that what is defined here is what it calls. */
#include <dlfcn.h>
#include <list>
#include <unordered_set>

#include <xbt/base.h> /* which version.h needs */

#include <simgrid/version.h>

#if SIMGRID_VERSION_MAJOR == 3 && SIMGRID_VERSION_MINOR == 32 && defined(__LP64__)

/* The next definition of a method, by the name that the compiler gave it. */
template <class F> static F next_definition(const char *name)
{
    return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

namespace simgrid::kernel
{

namespace activity
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

/* Sends that nobody waits for, as all eager ones are: a set does what the list is for, a reference to each until it ends. */
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
    static const auto next = next_definition<void (*)(CommImpl *)>("_ZN7simgrid6kernel8activity8CommImpl9copy_dataEv");
    static CommImpl *ended;
    next(this);
    if (!under_way.erase(this))
        return;
    if (ended)
        intrusive_ptr_release(activity(ended));
    ended = this;
}

} // namespace activity

namespace actor
{

class ActorImpl
{
  public:
    void simcall_answer();
};

struct reference { /* as boost::intrusive_ptr has it */
    activity::ActivityImpl *to;
    ~reference() { intrusive_ptr_release(to); }
};

/* What a rank has under way is listed to be cancelled when the rank is killed or its host fails, and none is or does;
 * whoever waits for it has a reference to it. So the list is empty whenever a rank goes on. */
void ActorImpl::simcall_answer()
{
    enum { ACTIVITIES = 192 }; /* where ActorImpl has `std::list<ActivityImplPtr> activities_` */
    static const auto next = next_definition<void (*)(ActorImpl *)>("_ZN7simgrid6kernel5actor9ActorImpl14simcall_answerEv");
    reinterpret_cast<std::list<reference> *>(reinterpret_cast<char *>(this) + ACTIVITIES)->clear();
    next(this);
}

} // namespace actor

} // namespace simgrid::kernel

#endif
