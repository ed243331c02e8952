/**
 * Starts the member proxy as it is built: what runs TypeScript for the benchmarks adds to every function what
 * production does not have.
 */
import { built } from '../../test/helpers/built.ts';

await import(built('bench/peers/member-proxy-server.ts'));
