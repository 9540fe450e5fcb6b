import { DatabaseAway } from '../sql.js';
import { scheduleFlush } from './schedule-flush.js';

interface GroupCommitWork<Question, Answer> {
  /**
   * Executes one or more requests with one statement that does not wait for locks. Returns the answers in the order of the requests;
   * undefined for one that was skipped because of a lock.
   */
  readonly together: (questions: readonly Question[]) => Promise<readonly (Answer | undefined)[]>;
  /** Executes a single request that was skipped, or whose common statement failed. It may wait for a lock. */
  readonly alone: (question: Question) => Promise<Answer>;
}

interface Asked<Question, Answer> {
  readonly question: Question;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Most requests in one statement, which is still fast. */
const LARGEST = 64;

/**
 * Group commit: changes of many jobs share few statements. Requests that arrive while a statement is running go into the next one. No
 * request waits for others, so a single one is as fast as without; under load, commits, which cost most, are shared.
 *
 * Rows that are locked are skipped and changed by a statement of their own, so that one row does not delay the others; if the database
 * refuses a statement, its requests are executed one by one, so that one request does not fail the others.
 */
export class GroupCommit<Question, Answer> {
  private asked: Asked<Question, Answer>[] = [];
  private isUnderWay = false;

  constructor(private readonly work: GroupCommitWork<Question, Answer>) {}

  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.asked.length === 0 && !this.isUnderWay) scheduleFlush(() => void this.commit());
      this.asked.push({ question, resolve, reject });
    });
  }

  private async commit(): Promise<void> {
    this.isUnderWay = true;
    while (this.asked.length > 0) await this.answer(this.asked.splice(0, LARGEST));
    this.isUnderWay = false;
  }

  private async answer(batch: readonly Asked<Question, Answer>[]): Promise<void> {
    let answers: readonly (Answer | undefined)[] = [];
    try {
      answers = await this.work.together(batch.map(({ question }) => question));
    } catch (error) {
      // it may have been done nevertheless: the caller must allow for a repetition
      if (error instanceof DatabaseAway) {
        for (const { reject } of batch) reject(error);
        return;
      }
    }
    for (const [index, asked] of batch.entries()) {
      const answer = answers[index];
      if (answer === undefined) void this.answerAlone(asked);
      else asked.resolve(answer);
    }
  }

  private async answerAlone({ question, resolve, reject }: Asked<Question, Answer>): Promise<void> {
    try {
      resolve(await this.work.alone(question));
    } catch (error) {
      reject(error);
    }
  }
}
