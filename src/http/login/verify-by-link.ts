import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FormView } from '../../pages/form-parts.js';
import type { Page } from '../../pages/layout.js';
import type { VerifyEmailProblem } from '../../pages/problems.js';
import { Pages } from '../shared/pages/pages.js';
import { statusOf, unlessUnchecked } from '../shared/server/busy.js';
import { codeOfLink, MailLinks, type OpenedLink } from './mail-links.js';

/** What stands on the page: who, and where the code went, is shown masked. */
interface VerifyView {
  readonly form: FormView;
  readonly loginName: string;
  readonly sentTo: string;
  /** From the link, or what was typed before an error. */
  readonly code: string | undefined;
  readonly problem: VerifyEmailProblem | undefined;
}

/** What a link verifies, and its pages. */
export interface Verifying {
  readonly purpose: 'verify_email' | 'verify_phone';
  readonly path: string;
  /** `done`, `wrong-code`, or why the link is good no more. @throws CodeNotChecked */
  readonly verify: (linkId: string, code: string) => Promise<{ readonly kind: string }>;
  readonly render: (page: Page, view: VerifyView) => string;
  readonly renderDone: (page: Page, target: string) => string;
}

/** The page behind a link that verifies where it was sent; like every such page it waits for the button. */
@Injectable()
export class VerifyByLink {
  constructor(
    private readonly links: MailLinks,
    private readonly pages: Pages,
  ) {}

  async show(request: FastifyRequest, reply: FastifyReply, verifying: Verifying): Promise<void> {
    const opened = await this.links.open(request, reply, verifying.purpose);
    if (opened === undefined) return;
    this.showForm(request, reply, verifying, opened, codeOfLink(opened.parameters));
  }

  async submit(request: FastifyRequest, reply: FastifyReply, verifying: Verifying): Promise<void> {
    const { purpose, verify, renderDone } = verifying;
    const opened = await this.links.submitted(request, reply, purpose);
    if (opened === undefined) return;
    const { id, link, parameters: form } = opened;
    const code = form.get('code');
    if (code === undefined) {
      return this.showForm(request, reply, verifying, opened, undefined, 'code-missing');
    }
    const checked = await unlessUnchecked(reply, () =>
      this.links.tryCode(request, reply, async () => {
        const result = await verify(id, code);
        return { result, failed: result.kind === 'wrong-code' };
      }),
    );
    if (checked === 'code-unchecked') {
      return this.showForm(request, reply, verifying, opened, code, checked);
    }
    const { result } = checked;
    if (result === undefined) return;
    const { kind } = result;
    if (kind === 'done') {
      const { organization } = link;
      this.pages.send(request, reply, (page) => renderDone(page, link.target), { organization });
      return;
    }
    if (kind !== 'wrong-code') return this.links.sendOver(request, reply, purpose);
    this.showForm(request, reply, verifying, opened, code, 'code-not-valid');
  }

  private showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    { purpose, path, render }: Verifying,
    { id, link }: OpenedLink,
    code: string | undefined,
    problem?: VerifyEmailProblem,
  ): void {
    const { loginName, target: sentTo, organization } = link;
    const view = { form: this.links.form(purpose, path, id), loginName, sentTo, code, problem };
    this.pages.send(request, reply, (page) => render(page, view), {
      status: statusOf(problem && [problem]),
      organization,
    });
  }
}
