import { createMemoryStorage } from '../../console/storage/embedded/memory.ts';
import { describeStorage } from './conformance.ts';

describeStorage('memory', async (now) => createMemoryStorage({ now }));
