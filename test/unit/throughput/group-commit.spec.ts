import { beforeEach, describe, expect, it } from 'vitest';
import { DatabaseAway } from '../../../src/storage/postgres/sql.js';
import { GroupCommit } from '../../../src/storage/postgres/throughput/group-commit.js';

interface Statement {
  readonly questions: readonly string[];
  readonly answer: (answers: readonly (string | undefined)[]) => void;
  readonly fail: (error: Error) => void;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('a group commit', () => {
  let statements: Statement[];
  let alone: string[];
  let group: GroupCommit<string, string>;

  beforeEach(() => {
    statements = [];
    alone = [];
    group = new GroupCommit({
      together: (questions) =>
        new Promise((resolve, reject) => {
          statements.push({ questions, answer: resolve, fail: reject });
        }),
      alone: (question) => {
        alone.push(question);
        return question === 'bad'
          ? Promise.reject(new Error('refused'))
          : Promise.resolve(`${question} alone`);
      },
    });
  });

  it('leaves at once, and takes along what was asked in the same turn', async () => {
    const answers = Promise.all([group.ask('a'), group.ask('b')]);
    await turn();
    expect(statements.map(({ questions }) => questions)).toEqual([['a', 'b']]);
    statements[0]?.answer(['A', 'B']);
    expect(await answers).toEqual(['A', 'B']);
  });

  it('gathers what is asked while it is under way', async () => {
    const first = group.ask('a');
    await turn();
    const others = [group.ask('b')];
    await turn();
    others.push(group.ask('c'));
    await turn();
    expect(statements).toHaveLength(1);
    statements[0]?.answer(['A']);
    expect(await first).toBe('A');
    await turn();
    expect(statements.map(({ questions }) => questions)).toEqual([['a'], ['b', 'c']]);
    statements[1]?.answer(['B', 'C']);
    expect(await Promise.all(others)).toEqual(['B', 'C']);
    const later = group.ask('d');
    await turn();
    statements[2]?.answer(['D']);
    expect(await later).toBe('D');
  });

  it('does not grow without bounds', async () => {
    for (let number = 0; number < 65; number += 1) void group.ask(String(number));
    await turn();
    statements[0]?.answer(Array.from({ length: 64 }, () => 'yes'));
    await turn();
    expect(statements.map(({ questions }) => questions.length)).toEqual([64, 1]);
  });

  it('asks alone for what it left out, and goes on meanwhile', async () => {
    const answers = Promise.all([group.ask('a'), group.ask('b')]);
    await turn();
    statements[0]?.answer([undefined, 'B']);
    expect(await answers).toEqual(['a alone', 'B']);
    void group.ask('c');
    await turn();
    expect(statements).toHaveLength(2);
  });

  it('lets no question that the database refuses spoil the others', async () => {
    const answers = Promise.allSettled([group.ask('a'), group.ask('bad'), group.ask('c')]);
    await turn();
    statements[0]?.fail(new Error('refused'));
    expect((await answers).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(alone).toEqual(['a', 'bad', 'c']);
  });

  it('repeats nothing when the database is away: it may have been done', async () => {
    const answers = Promise.allSettled([group.ask('a'), group.ask('b')]);
    await turn();
    statements[0]?.fail(new DatabaseAway(undefined));
    expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(alone).toEqual([]);
  });
});
