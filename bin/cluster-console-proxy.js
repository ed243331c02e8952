#!/usr/bin/env node
// `npx cluster-console-proxy`: the member proxy as a process of its own.
import { run } from './run.js';

await run('console/proxy/main.js');
