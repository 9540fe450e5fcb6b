import { z } from 'zod';

/** A message as it would be, to who writes its words: made when it was asked for, and sealed until it is sent. */
interface TemplateTest {
  /** Verified when the test was asked for. */
  readonly address: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const SEALED = z.object({ address: z.string(), subject: z.string(), text: z.string(), html: z.string() });

/** In every language the same, so that no translation can leave it out. */
const MARK = '[Test]';

export function markedAsTest(subject: string): string {
  return `${MARK} ${subject}`;
}

export function sealedTest(test: TemplateTest): string {
  return JSON.stringify(SEALED.parse(test));
}

export function readTest(content: string | undefined): TemplateTest {
  if (content === undefined) throw new Error('template_test without what it says');
  return SEALED.parse(JSON.parse(content));
}
