/** Pages of which a stream says how they go on, at their own address with `live=1`. */
export const livePaths =
  /^\/(?:|cluster|access|observe|access\/(?:approvals|sessions)(?:\/[^/]+)?|observe\/(?:audit|traffic|health|jobs(?:\/[^/]+)?)|cluster\/(?:members|wan|cp|operations)|cluster\/wan\/[^/]+\/[^/]+|cluster\/(?:members|maps|queues|queues\/[^/]+\/drains|maps\/[^/]+\/readings)\/[^/]+)$/;

/** A stream lasts, and this process works for it now and then only. @param url  as the request has it */
export function isLive(url: string): boolean {
  const at = url.indexOf('?');
  return at >= 0 && livePaths.test(url.slice(0, at)) && /[?&]live=1(?:&|$)/.test(url.slice(at));
}
