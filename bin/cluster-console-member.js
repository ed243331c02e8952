#!/usr/bin/env node
// `npx cluster-console-member`: a member alone.
import { run } from './run.js';

await run('member/main.js');
