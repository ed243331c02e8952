/** The part of a logger that the proxy needs. */
export interface ProxyLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
