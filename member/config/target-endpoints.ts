/** @param list  as the schema has checked it: `host:port`, joined by commas */
export function endpointsIn(list: string): readonly string[] {
  return list.split(',').map((one) => one.trim());
}
