import { DatabaseAway } from '../sql.js';
import { scheduleFlush } from './schedule-flush.js';

export interface GroupCommitWork<Question, Answer> {
  /**
   * Does what is asked, which may be a single thing, with one statement that waits for nobody's lock, and gives the
   * answers in the order of the questions. Undefined for one that it left alone.
   */
  readonly together: (questions: readonly Question[]) => Promise<readonly (Answer | undefined)[]>;
  /** Answers a question that was left alone, or whose common statement failed, by itself. It may wait for a lock; the others do not. */
  readonly alone: (question: Question) => Promise<Answer>;
}

interface Asked<Question, Answer> {
  readonly question: Question;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** One statement that does so many is quick all the same, and does not grow with the worker. */
const LARGEST = 64;

/**
 * Changes that many jobs make one each, done by few statements: what is asked while one is under way goes with the
 * next. Nobody waits for company, so that whoever is alone is as quick as without; under load the commits, which cost
 * most, are shared.
 *
 * What somebody else has locked is left out and asked for alone, so that one row cannot hold up the others; and a
 * statement that the database refuses is taken apart, so that one question cannot spoil the others.
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
