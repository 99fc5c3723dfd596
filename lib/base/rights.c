/* SPDX-License-Identifier: Apache-2.0 */
#include "base/rights.h"

#include "base/list.h"

#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const unsigned kept[] = {
	/* files, and processes of other users: sshd is among those started */
	CAP_CHOWN,
	CAP_DAC_OVERRIDE,
	CAP_FOWNER,
	CAP_FSETID,
	CAP_KILL,
	CAP_SETGID,
	CAP_SETUID,
	CAP_SYS_CHROOT,
	CAP_AUDIT_WRITE,
	/* a port below 1024, RDMA, where ranks and their memory are */
	CAP_NET_BIND_SERVICE,
	CAP_IPC_LOCK,
	CAP_SYS_NICE,
};

static uint64_t keep_mask(void)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < LENGTH(kept); i++)
		mask |= UINT64_C(1) << kept[i];
	return mask;
}

/* What no program that root starts from here can have again. */
static int bound(uint64_t mask, struct error *err)
{
	for (unsigned long cap = 0; prctl(PR_CAPBSET_READ, cap) >= 0; cap++)
		if (!(mask & UINT64_C(1) << cap) &&
		    prctl(PR_CAPBSET_DROP, cap) < 0)
			return error_errno(err, "cannot drop capability %lu",
					   cap);
	return 0;
}

static int drop_capabilities(uint64_t mask, struct error *err)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	bool any = false;
	int r = 0;

	if (syscall(SYS_capget, &head, data) < 0)
		return error_errno(err, "cannot read capabilities");
	/* others cannot narrow it, and have no use for it either */
	if (data[CAP_TO_INDEX(CAP_SETPCAP)].effective &
	    CAP_TO_MASK(CAP_SETPCAP))
		r = bound(mask, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < LENGTH(data); i++) {
		uint32_t word = (uint32_t)(mask >> 32 * i);

		any |= ((data[i].permitted | data[i].inheritable) & ~word) != 0;
		data[i].effective &= word;
		data[i].permitted &= word;
		data[i].inheritable &= word;
	}
	if (any && syscall(SYS_capset, &head, data) < 0)
		return error_errno(err, "cannot drop capabilities");
	return 0;
}

int rights_drop(struct error *err)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return error_errno(err, "cannot do without setuid programs");
	return drop_capabilities(keep_mask(), err);
}
