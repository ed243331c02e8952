import { createMemoryStorage } from '../../console/storage/memory.ts';
import { describeStorage } from './conformance.ts';

describeStorage('memory', async (now) => createMemoryStorage({ now }));
