import '../../../platform/no-prototype-access.ts';
import { answerTask } from '../../../platform/process/task-process.ts';
import { type ConfigTask, carryOut } from './config-work.ts';

answerTask((task: ConfigTask) => carryOut(task));
