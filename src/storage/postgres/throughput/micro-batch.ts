import { scheduleFlush } from './schedule-flush.js';

interface Asked<Question, Answer> {
  readonly question: Question;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects the look-ups of one turn of the event loop and runs them by one statement, which costs the database a third of one statement
 * for each. A single look-up is sent in the same turn, too.
 */
export class MicroBatch<Question, Answer> {
  private asked: Asked<Question, Answer>[] = [];

  /**
   * @param answerAll gives the answers in the order of the questions
   * @param largest questions that one statement takes
   */
  constructor(
    private readonly answerAll: (questions: readonly Question[]) => Promise<readonly Answer[]>,
    private readonly largest: number,
  ) {}

  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.asked.length === 0) scheduleFlush(() => this.send());
      this.asked.push({ question, resolve, reject });
    });
  }

  private send(): void {
    const all = this.asked;
    this.asked = [];
    for (let from = 0; from < all.length; from += this.largest)
      void this.answer(all.slice(from, from + this.largest));
  }

  private async answer(batch: readonly Asked<Question, Answer>[]): Promise<void> {
    try {
      const answers = await this.answerAll(batch.map(({ question }) => question));
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
