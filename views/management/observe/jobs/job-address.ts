/** Where jobs are, and which ids are theirs. */
export const jobsHref = '/observe/jobs';

export function jobHref(id: string): string {
  return `${jobsHref}/${encodeURIComponent(id)}`;
}

export function isJobId(id: string): boolean {
  return /^job_[0-9a-f]{32}$/.test(id);
}
