/** Answers from the files of this console alone, by an index that is kept up also when nobody asks. */
import { join } from 'node:path';
import { createAuditAnswers } from './audit-answers.ts';
import type { QuestionKind } from './questions.ts';

export interface AnswerFromFilesDeps {
  readonly dataDir: string;
  /** Of the console. */
  readonly version: string;
  readonly log: (fields: object, message: string) => void;
}

/** So that whoever asks need not wait. */
const catchUpMs = 5000;

export function answerFromFiles({ dataDir, version, log }: AnswerFromFilesDeps) {
  const directory = join(dataDir, 'audit');
  const answers = createAuditAnswers({ directory, indexDirectory: join(dataDir, 'audit-index'), version });
  const timer = setInterval(catchUp, catchUpMs);
  catchUp();

  return {
    /** @returns undefined while the index is made */
    answer: (kind: string, asked: object): Promise<unknown> =>
      answers.answer(kind as QuestionKind, asked as never),
    async close(): Promise<void> {
      clearInterval(timer);
      await answers.close();
    },
  };

  function catchUp(): void {
    answers.catchUp().catch((error: Error) => {
      log({ reason: error.message }, 'the index of the audit could not be brought up to date');
    });
  }
}
