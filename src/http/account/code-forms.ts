import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { UnitOfWork, type Tx } from '../../domain/shared/unit-of-work.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { AccountVisits, type AccountVisit } from './account-visits.js';
import { doneAt, type Done } from './notices.js';
import { unlessRefused, type Refused } from './unless-refused.js';

type Work = (tx: Tx) => Promise<unknown>;

/** A page for the code of an address or a number that waits for it. */
interface CodePage {
  readonly step: string;
  readonly path: string;
}

interface TakenCode<Problem extends string> {
  /** What the page has words for, by the errors' ids. */
  readonly problems: Readonly<Record<string, Problem>>;
  readonly prepare: (visit: AccountVisit, code: string) => Promise<Work>;
  readonly done: Done;
  readonly show: (
    visit: AccountVisit,
    state: { readonly code?: string; readonly problem: Problem | 'code-missing' | 'too-many-attempts' },
  ) => Promise<void>;
}

interface ResentCode<Problem extends string> {
  readonly problems: Readonly<Record<string, Problem>>;
  readonly prepare: (visit: AccountVisit) => Promise<Work>;
  /** Shows what was refused; by default the page, which says by itself how things stand. */
  readonly refused?: (visit: AccountVisit, refused: Refused<Problem>) => Promise<void>;
}

/** What the pages of the e-mail address and of the phone number do alike: they take a code, and have another one sent. */
@Injectable()
export class CodeForms {
  constructor(
    private readonly visits: AccountVisits,
    private readonly limits: AddressLimits,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  async take<Problem extends string>(
    request: FastifyRequest,
    reply: FastifyReply,
    { step }: CodePage,
    { problems, prepare, done, show }: TakenCode<Problem>,
  ): Promise<void> {
    const submitted = await this.visits.submitted(request, reply, step);
    if (submitted === undefined) return;
    const { visit, form } = submitted;
    const code = form.get('code');
    if (code === undefined) return await show(visit, { problem: 'code-missing' });
    const tried = await this.limits.tryProof(request, async () => {
      const result = await unlessRefused(problems, async () => {
        await this.unitOfWork.run(await prepare(visit, code));
      });
      return { result, failed: 'problem' in result && result.problem === 'code-not-valid' };
    });
    if ('wait' in tried) {
      void reply.header('retry-after', String(tried.wait));
      return await show(visit, { code, problem: 'too-many-attempts' });
    }
    const { result } = tried;
    if ('problem' in result) {
      const { problem, retryAfterSeconds } = result;
      if (retryAfterSeconds !== undefined) void reply.header('retry-after', String(retryAfterSeconds));
      return await show(visit, { code, problem });
    }
    void redirectTo(reply, doneAt('/account', done), 303);
  }

  async sendAgain<Problem extends string>(
    request: FastifyRequest,
    reply: FastifyReply,
    { step, path }: CodePage,
    { problems, prepare, refused }: ResentCode<Problem>,
  ): Promise<void> {
    const submitted = await this.visits.submitted(request, reply, step);
    if (submitted === undefined) return;
    const { visit } = submitted;
    const tried = await unlessRefused(problems, async () => {
      await this.unitOfWork.run(await prepare(visit));
    });
    if (!('problem' in tried)) return void redirectTo(reply, doneAt(path, 'codeSent'), 303);
    if (refused !== undefined) return await refused(visit, tried);
    void redirectTo(reply, path, 303);
  }
}
