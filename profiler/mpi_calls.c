/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of MPI that are counted, under both of their names
 */
#include "profiler/mpi_call.h"

#define WRAP(class_, bytes_, name, parameters, arguments)                      \
	int PMPI_##name parameters                                             \
	{                                                                      \
		static int(*real) parameters;                                  \
		struct mpi_call call;                                          \
		int r;                                                         \
                                                                               \
		if (!real)                                                     \
			real = mpi_call_find("PMPI_" #name);                   \
		call = mpi_call_begin(class_);                                 \
		r = real arguments;                                            \
		mpi_call_end(&call, call.counts ? (bytes_) : 0);               \
		return r;                                                      \
	}                                                                      \
	int MPI_##name parameters __attribute__((alias("PMPI_" #name)));

int PMPI_Init(int *argc, char ***argv)
{
	int (*real)(int *, char ***) = mpi_call_find("PMPI_Init");
	int r = real(argc, argv);

	if (r == MPI_SUCCESS)
		mpi_call_count_from_here();
	return r;
}
int MPI_Init(int *argc, char ***argv) __attribute__((alias("PMPI_Init")));

int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	int (*real)(int *, char ***, int, int *) =
		mpi_call_find("PMPI_Init_thread");
	int r = real(argc, argv, required, provided);

	if (r == MPI_SUCCESS)
		mpi_call_count_from_here();
	return r;
}
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
	__attribute__((alias("PMPI_Init_thread")));

int PMPI_Finalize(void)
{
	int (*real)(void) = mpi_call_find("PMPI_Finalize");

	mpi_call_count_to_here();
	return real();
}
int MPI_Finalize(void) __attribute__((alias("PMPI_Finalize")));

/* clang-format off */

/* ---- point to point ---- */

WRAP(MPI_POINT_TO_POINT, mpi_call_bytes(buf, count, datatype),
     Send, (const void *buf, int count, MPI_Datatype datatype, int dest, int
	tag, MPI_Comm comm),
     (buf, count, datatype, dest, tag, comm))
WRAP(MPI_POINT_TO_POINT, mpi_call_bytes(buf, count, datatype),
     Bsend, (const void *buf, int count, MPI_Datatype datatype, int dest, int
	tag, MPI_Comm comm),
     (buf, count, datatype, dest, tag, comm))
WRAP(MPI_POINT_TO_POINT, mpi_call_bytes(buf, count, datatype),
     Ssend, (const void *buf, int count, MPI_Datatype datatype, int dest, int
	tag, MPI_Comm comm),
     (buf, count, datatype, dest, tag, comm))
WRAP(MPI_POINT_TO_POINT, mpi_call_bytes(buf, count, datatype),
     Rsend, (const void *buf, int count, MPI_Datatype datatype, int dest, int
	tag, MPI_Comm comm),
     (buf, count, datatype, dest, tag, comm))
WRAP(MPI_POINT_TO_POINT, mpi_call_bytes(buf, count, datatype),
     Isend, (const void *buf, int count, MPI_Datatype datatype, int dest, int
	tag, MPI_Comm comm, MPI_Request *request),
     (buf, count, datatype, dest, tag, comm, request))
WRAP(MPI_POINT_TO_POINT, mpi_call_bytes(buf, count, datatype),
     Ibsend, (const void *buf, int count, MPI_Datatype datatype, int dest, int
	tag, MPI_Comm comm, MPI_Request *request),
     (buf, count, datatype, dest, tag, comm, request))
WRAP(MPI_POINT_TO_POINT, mpi_call_bytes(buf, count, datatype),
     Issend, (const void *buf, int count, MPI_Datatype datatype, int dest, int
	tag, MPI_Comm comm, MPI_Request *request),
     (buf, count, datatype, dest, tag, comm, request))
WRAP(MPI_POINT_TO_POINT, mpi_call_bytes(buf, count, datatype),
     Irsend, (const void *buf, int count, MPI_Datatype datatype, int dest, int
	tag, MPI_Comm comm, MPI_Request *request),
     (buf, count, datatype, dest, tag, comm, request))
WRAP(MPI_POINT_TO_POINT, 0,
     Recv, (void *buf, int count, MPI_Datatype datatype, int source, int tag,
	MPI_Comm comm, MPI_Status *status),
     (buf, count, datatype, source, tag, comm, status))
WRAP(MPI_POINT_TO_POINT, 0,
     Irecv, (void *buf, int count, MPI_Datatype datatype, int source, int tag,
	MPI_Comm comm, MPI_Request *request),
     (buf, count, datatype, source, tag, comm, request))
WRAP(MPI_POINT_TO_POINT, 0,
     Mrecv, (void *buf, int count, MPI_Datatype type, MPI_Message *message,
	MPI_Status *status),
     (buf, count, type, message, status))
WRAP(MPI_POINT_TO_POINT, 0,
     Imrecv, (void *buf, int count, MPI_Datatype type, MPI_Message *message,
	MPI_Request *request),
     (buf, count, type, message, request))
WRAP(MPI_POINT_TO_POINT, mpi_call_bytes(sendbuf, sendcount, sendtype),
     Sendrecv, (const void *sendbuf, int sendcount, MPI_Datatype sendtype, int
	dest, int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype, int
	source, int recvtag, MPI_Comm comm, MPI_Status *status),
     (sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,
	recvtype, source, recvtag, comm, status))
WRAP(MPI_POINT_TO_POINT, mpi_call_bytes(buf, count, datatype),
     Sendrecv_replace, (void * buf, int count, MPI_Datatype datatype, int dest,
	int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status *status),
     (buf, count, datatype, dest, sendtag, source, recvtag, comm, status))
WRAP(MPI_POINT_TO_POINT, 0,
     Start, (MPI_Request *request),
     (request))
WRAP(MPI_POINT_TO_POINT, 0,
     Startall, (int count, MPI_Request array_of_requests[]),
     (count, array_of_requests))
WRAP(MPI_POINT_TO_POINT, 0,
     Wait, (MPI_Request *request, MPI_Status *status),
     (request, status))
WRAP(MPI_POINT_TO_POINT, 0,
     Waitall, (int count, MPI_Request array_of_requests[], MPI_Status
	*array_of_statuses),
     (count, array_of_requests, array_of_statuses))
WRAP(MPI_POINT_TO_POINT, 0,
     Waitany, (int count, MPI_Request array_of_requests[], int *index,
	MPI_Status *status),
     (count, array_of_requests, index, status))
WRAP(MPI_POINT_TO_POINT, 0,
     Waitsome, (int incount, MPI_Request array_of_requests[], int *outcount,
	int array_of_indices[], MPI_Status array_of_statuses[]),
     (incount, array_of_requests, outcount, array_of_indices,
	array_of_statuses))
WRAP(MPI_POINT_TO_POINT, 0,
     Test, (MPI_Request *request, int *flag, MPI_Status *status),
     (request, flag, status))
WRAP(MPI_POINT_TO_POINT, 0,
     Testall, (int count, MPI_Request array_of_requests[], int *flag,
	MPI_Status array_of_statuses[]),
     (count, array_of_requests, flag, array_of_statuses))
WRAP(MPI_POINT_TO_POINT, 0,
     Testany, (int count, MPI_Request array_of_requests[], int *index, int
	*flag, MPI_Status *status),
     (count, array_of_requests, index, flag, status))
WRAP(MPI_POINT_TO_POINT, 0,
     Testsome, (int incount, MPI_Request array_of_requests[], int *outcount,
	int array_of_indices[], MPI_Status array_of_statuses[]),
     (incount, array_of_requests, outcount, array_of_indices,
	array_of_statuses))
WRAP(MPI_POINT_TO_POINT, 0,
     Probe, (int source, int tag, MPI_Comm comm, MPI_Status *status),
     (source, tag, comm, status))
WRAP(MPI_POINT_TO_POINT, 0,
     Iprobe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Status
	*status),
     (source, tag, comm, flag, status))
WRAP(MPI_POINT_TO_POINT, 0,
     Mprobe, (int source, int tag, MPI_Comm comm, MPI_Message *message,
	MPI_Status *status),
     (source, tag, comm, message, status))
WRAP(MPI_POINT_TO_POINT, 0,
     Improbe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Message
	*message, MPI_Status *status),
     (source, tag, comm, flag, message, status))

/* ---- collective ---- */

WRAP(MPI_COLLECTIVE, 0,
     Barrier, (MPI_Comm comm),
     (comm))
WRAP(MPI_COLLECTIVE, mpi_call_bytes(buffer, count, datatype),
     Bcast, (void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm
	comm),
     (buffer, count, datatype, root, comm))
WRAP(MPI_COLLECTIVE, mpi_call_bytes(sendbuf, sendcount, sendtype),
     Gather, (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void
	*recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm))
WRAP(MPI_COLLECTIVE, mpi_call_bytes(sendbuf, sendcount, sendtype),
     Gatherv, (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void
	*recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
	int root, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
	root, comm))
WRAP(MPI_COLLECTIVE, mpi_call_bytes(recvbuf, recvcount, recvtype),
     Scatter, (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void
	*recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm))
WRAP(MPI_COLLECTIVE, mpi_call_bytes(recvbuf, recvcount, recvtype),
     Scatterv, (const void *sendbuf, const int sendcounts[], const int
	displs[], MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype
	recvtype, int root, MPI_Comm comm),
     (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype,
	root, comm))
WRAP(MPI_COLLECTIVE, mpi_call_bytes(sendbuf, sendcount, sendtype),
     Allgather, (const void *sendbuf, int sendcount, MPI_Datatype sendtype,
	void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
WRAP(MPI_COLLECTIVE, mpi_call_bytes(sendbuf, sendcount, sendtype),
     Allgatherv, (const void *sendbuf, int sendcount, MPI_Datatype sendtype,
	void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype
	recvtype, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
	comm))
WRAP(MPI_COLLECTIVE, mpi_call_bytes_all(sendbuf, sendcount, sendtype, comm),
     Alltoall, (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void
	*recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
WRAP(MPI_COLLECTIVE, mpi_call_bytes_v(sendbuf, sendcounts, sendtype, comm),
     Alltoallv, (const void *sendbuf, const int sendcounts[], const int
	sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const
	int rdispls[], MPI_Datatype recvtype, MPI_Comm comm),
     (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
	recvtype, comm))
WRAP(MPI_COLLECTIVE, 0,
     Alltoallw, (const void *sendbuf, const int sendcounts[], const int
	sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const int
	recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm
	comm),
     (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
	recvtypes, comm))
WRAP(MPI_COLLECTIVE, mpi_call_bytes(recvbuf, count, datatype),
     Reduce, (const void *sendbuf, void *recvbuf, int count, MPI_Datatype
	datatype, MPI_Op op, int root, MPI_Comm comm),
     (sendbuf, recvbuf, count, datatype, op, root, comm))
WRAP(MPI_COLLECTIVE, mpi_call_bytes(recvbuf, count, datatype),
     Allreduce, (const void *sendbuf, void *recvbuf, int count, MPI_Datatype
	datatype, MPI_Op op, MPI_Comm comm),
     (sendbuf, recvbuf, count, datatype, op, comm))
WRAP(MPI_COLLECTIVE, mpi_call_bytes_v(sendbuf, recvcounts, datatype, comm),
     Reduce_scatter, (const void *sendbuf, void *recvbuf, const int
	recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm),
     (sendbuf, recvbuf, recvcounts, datatype, op, comm))
WRAP(MPI_COLLECTIVE, mpi_call_bytes_all(sendbuf, recvcount, datatype, comm),
     Reduce_scatter_block, (const void *sendbuf, void *recvbuf, int recvcount,
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm),
     (sendbuf, recvbuf, recvcount, datatype, op, comm))
WRAP(MPI_COLLECTIVE, mpi_call_bytes(recvbuf, count, datatype),
     Scan, (const void *sendbuf, void *recvbuf, int count, MPI_Datatype
	datatype, MPI_Op op, MPI_Comm comm),
     (sendbuf, recvbuf, count, datatype, op, comm))
WRAP(MPI_COLLECTIVE, mpi_call_bytes(recvbuf, count, datatype),
     Exscan, (const void *sendbuf, void *recvbuf, int count, MPI_Datatype
	datatype, MPI_Op op, MPI_Comm comm),
     (sendbuf, recvbuf, count, datatype, op, comm))
WRAP(MPI_COLLECTIVE, 0,
     Ibarrier, (MPI_Comm comm, MPI_Request *request),
     (comm, request))
WRAP(MPI_COLLECTIVE, mpi_call_bytes(buffer, count, datatype),
     Ibcast, (void *buffer, int count, MPI_Datatype datatype, int root,
	MPI_Comm comm, MPI_Request *request),
     (buffer, count, datatype, root, comm, request))
WRAP(MPI_COLLECTIVE, mpi_call_bytes(sendbuf, sendcount, sendtype),
     Igather, (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void
	*recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
	MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
	request))
WRAP(MPI_COLLECTIVE, mpi_call_bytes(recvbuf, recvcount, recvtype),
     Iscatter, (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void
	*recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
	MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
	request))
WRAP(MPI_COLLECTIVE, mpi_call_bytes(sendbuf, sendcount, sendtype),
     Iallgather, (const void *sendbuf, int sendcount, MPI_Datatype sendtype,
	void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
	MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
	request))
WRAP(MPI_COLLECTIVE, mpi_call_bytes(sendbuf, sendcount, sendtype),
     Iallgatherv, (const void *sendbuf, int sendcount, MPI_Datatype sendtype,
	void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype
	recvtype, MPI_Comm comm, MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
	comm, request))
WRAP(MPI_COLLECTIVE, mpi_call_bytes_all(sendbuf, sendcount, sendtype, comm),
     Ialltoall, (const void *sendbuf, int sendcount, MPI_Datatype sendtype,
	void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
	MPI_Request *request),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
	request))
WRAP(MPI_COLLECTIVE, mpi_call_bytes_v(sendbuf, sendcounts, sendtype, comm),
     Ialltoallv, (const void *sendbuf, const int sendcounts[], const int
	sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const
	int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
     (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
	recvtype, comm, request))
WRAP(MPI_COLLECTIVE, mpi_call_bytes(recvbuf, count, datatype),
     Ireduce, (const void *sendbuf, void *recvbuf, int count, MPI_Datatype
	datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Request *request),
     (sendbuf, recvbuf, count, datatype, op, root, comm, request))
WRAP(MPI_COLLECTIVE, mpi_call_bytes(recvbuf, count, datatype),
     Iallreduce, (const void *sendbuf, void *recvbuf, int count, MPI_Datatype
	datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request),
     (sendbuf, recvbuf, count, datatype, op, comm, request))
WRAP(MPI_COLLECTIVE, mpi_call_bytes(sendbuf, sendcount, sendtype),
     Neighbor_allgather, (const void *sendbuf, int sendcount, MPI_Datatype
	sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
WRAP(MPI_COLLECTIVE, mpi_call_bytes(sendbuf, sendcount, sendtype),
     Neighbor_alltoall, (const void *sendbuf, int sendcount, MPI_Datatype
	sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
WRAP(MPI_COLLECTIVE, 0,
     Neighbor_alltoallv, (const void *sendbuf, const int sendcounts[], const
	int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
	const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm),
     (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
	recvtype, comm))
WRAP(MPI_COLLECTIVE, 0,
     Comm_dup, (MPI_Comm comm, MPI_Comm *newcomm),
     (comm, newcomm))
WRAP(MPI_COLLECTIVE, 0,
     Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *newcomm),
     (comm, color, key, newcomm))

/* ---- one-sided ---- */

WRAP(MPI_ONE_SIDED, mpi_call_bytes(origin_addr, origin_count, origin_datatype),
     Put, (const void *origin_addr, int origin_count, MPI_Datatype
	origin_datatype, int target_rank, MPI_Aint target_disp, int target_count,
	MPI_Datatype target_datatype, MPI_Win win),
     (origin_addr, origin_count, origin_datatype, target_rank, target_disp,
	target_count, target_datatype, win))
WRAP(MPI_ONE_SIDED, mpi_call_bytes(origin_addr, origin_count, origin_datatype),
     Get, (void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype
	target_datatype, MPI_Win win),
     (origin_addr, origin_count, origin_datatype, target_rank, target_disp,
	target_count, target_datatype, win))
WRAP(MPI_ONE_SIDED, mpi_call_bytes(origin_addr, origin_count, origin_datatype),
     Accumulate, (const void *origin_addr, int origin_count, MPI_Datatype
	origin_datatype, int target_rank, MPI_Aint target_disp, int target_count,
	MPI_Datatype target_datatype, MPI_Op op, MPI_Win win),
     (origin_addr, origin_count, origin_datatype, target_rank, target_disp,
	target_count, target_datatype, op, win))
WRAP(MPI_ONE_SIDED, mpi_call_bytes(result_addr, result_count, result_datatype),
     Get_accumulate, (const void *origin_addr, int origin_count, MPI_Datatype
	origin_datatype, void *result_addr, int result_count, MPI_Datatype
	result_datatype, int target_rank, MPI_Aint target_disp, int target_count,
	MPI_Datatype target_datatype, MPI_Op op, MPI_Win win),
     (origin_addr, origin_count, origin_datatype, result_addr, result_count,
	result_datatype, target_rank, target_disp, target_count, target_datatype, op,
	win))
WRAP(MPI_ONE_SIDED, mpi_call_bytes(result_addr, 1, datatype),
     Fetch_and_op, (const void *origin_addr, void *result_addr, MPI_Datatype
	datatype, int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win),
     (origin_addr, result_addr, datatype, target_rank, target_disp, op, win))
WRAP(MPI_ONE_SIDED, mpi_call_bytes(result_addr, 1, datatype),
     Compare_and_swap, (const void *origin_addr, const void *compare_addr, void
	*result_addr, MPI_Datatype datatype, int target_rank, MPI_Aint target_disp,
	MPI_Win win),
     (origin_addr, compare_addr, result_addr, datatype, target_rank,
	target_disp, win))
WRAP(MPI_ONE_SIDED, 0,
     Win_fence, (int assert, MPI_Win win),
     (assert, win))
WRAP(MPI_ONE_SIDED, 0,
     Win_lock, (int lock_type, int rank, int assert, MPI_Win win),
     (lock_type, rank, assert, win))
WRAP(MPI_ONE_SIDED, 0,
     Win_lock_all, (int assert, MPI_Win win),
     (assert, win))
WRAP(MPI_ONE_SIDED, 0,
     Win_unlock, (int rank, MPI_Win win),
     (rank, win))
WRAP(MPI_ONE_SIDED, 0,
     Win_unlock_all, (MPI_Win win),
     (win))
WRAP(MPI_ONE_SIDED, 0,
     Win_flush, (int rank, MPI_Win win),
     (rank, win))
WRAP(MPI_ONE_SIDED, 0,
     Win_flush_all, (MPI_Win win),
     (win))
WRAP(MPI_ONE_SIDED, 0,
     Win_flush_local, (int rank, MPI_Win win),
     (rank, win))
WRAP(MPI_ONE_SIDED, 0,
     Win_start, (MPI_Group group, int assert, MPI_Win win),
     (group, assert, win))
WRAP(MPI_ONE_SIDED, 0,
     Win_complete, (MPI_Win win),
     (win))
WRAP(MPI_ONE_SIDED, 0,
     Win_wait, (MPI_Win win),
     (win))

/* ---- files ---- */

WRAP(MPI_FILES, 0,
     File_open, (MPI_Comm comm, const char *filename, int amode, MPI_Info info,
	MPI_File *fh),
     (comm, filename, amode, info, fh))
WRAP(MPI_FILES, 0,
     File_close, (MPI_File *fh),
     (fh))
WRAP(MPI_FILES, 0,
     File_sync, (MPI_File fh),
     (fh))
WRAP(MPI_FILES, mpi_call_bytes(buf, count, datatype),
     File_read, (MPI_File fh, void *buf, int count, MPI_Datatype datatype,
	MPI_Status *status),
     (fh, buf, count, datatype, status))
WRAP(MPI_FILES, mpi_call_bytes(buf, count, datatype),
     File_read_all, (MPI_File fh, void *buf, int count, MPI_Datatype datatype,
	MPI_Status *status),
     (fh, buf, count, datatype, status))
WRAP(MPI_FILES, mpi_call_bytes(buf, count, datatype),
     File_read_at, (MPI_File fh, MPI_Offset offset, void *buf, int count,
	MPI_Datatype datatype, MPI_Status *status),
     (fh, offset, buf, count, datatype, status))
WRAP(MPI_FILES, mpi_call_bytes(buf, count, datatype),
     File_read_at_all, (MPI_File fh, MPI_Offset offset, void *buf, int count,
	MPI_Datatype datatype, MPI_Status *status),
     (fh, offset, buf, count, datatype, status))
WRAP(MPI_FILES, mpi_call_bytes(buf, count, datatype),
     File_read_shared, (MPI_File fh, void *buf, int count, MPI_Datatype
	datatype, MPI_Status *status),
     (fh, buf, count, datatype, status))
WRAP(MPI_FILES, mpi_call_bytes(buf, count, datatype),
     File_read_ordered, (MPI_File fh, void *buf, int count, MPI_Datatype
	datatype, MPI_Status *status),
     (fh, buf, count, datatype, status))
WRAP(MPI_FILES, mpi_call_bytes(buf, count, datatype),
     File_write, (MPI_File fh, const void *buf, int count, MPI_Datatype
	datatype, MPI_Status *status),
     (fh, buf, count, datatype, status))
WRAP(MPI_FILES, mpi_call_bytes(buf, count, datatype),
     File_write_all, (MPI_File fh, const void *buf, int count, MPI_Datatype
	datatype, MPI_Status *status),
     (fh, buf, count, datatype, status))
WRAP(MPI_FILES, mpi_call_bytes(buf, count, datatype),
     File_write_at, (MPI_File fh, MPI_Offset offset, const void *buf, int
	count, MPI_Datatype datatype, MPI_Status *status),
     (fh, offset, buf, count, datatype, status))
WRAP(MPI_FILES, mpi_call_bytes(buf, count, datatype),
     File_write_at_all, (MPI_File fh, MPI_Offset offset, const void *buf, int
	count, MPI_Datatype datatype, MPI_Status *status),
     (fh, offset, buf, count, datatype, status))
WRAP(MPI_FILES, mpi_call_bytes(buf, count, datatype),
     File_write_shared, (MPI_File fh, const void *buf, int count, MPI_Datatype
	datatype, MPI_Status *status),
     (fh, buf, count, datatype, status))
WRAP(MPI_FILES, mpi_call_bytes(buf, count, datatype),
     File_write_ordered, (MPI_File fh, const void *buf, int count, MPI_Datatype
	datatype, MPI_Status *status),
     (fh, buf, count, datatype, status))
/* clang-format on */
