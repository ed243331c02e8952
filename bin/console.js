#!/usr/bin/env node
// `npx console …`: the command line.
import { run } from './run.js';

await run('console/cli.js');
