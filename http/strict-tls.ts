/**
 * What this process asks of everybody that it speaks TLS with, upstream providers and directories too (S101). Imported
 * before anything else by the process: `fetch` takes no list of its own.
 */
import tls from 'node:tls';
import { tlsCiphers } from './tls-ciphers.ts';

tls.DEFAULT_CIPHERS = tlsCiphers;
