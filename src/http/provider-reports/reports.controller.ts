import { Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ReceiveReport } from '../../domain/notifications/ledger/receive-report.js';
import { VerifyReport } from '../../domain/notifications/ledger/verify-report.js';
import { REPORTS_PATH } from '../../domain/notifications/status-report-path.js';
import { isId, type NotificationId } from '../../domain/shared/ids.js';
import { FormBody } from '../shared/oauth-form.js';
import { AddressLimits } from '../shared/server/address-limits.js';

/** A status call-back has some twenty parameters. */
const MOST_PARAMETERS = 100;
const SID = /^[A-Za-z0-9]{1,64}$/;

/**
 * Where Twilio reports what became of an SMS. No account and no session: the signature over URL and parameters is the
 * proof, and whoever has none learns nothing, not even whether there is such a message. Bodies are forms of limited
 * size (create-app.ts).
 */
@Controller()
export class ReportsController {
  constructor(
    private readonly verify: VerifyReport,
    private readonly receive: ReceiveReport,
    private readonly limits: AddressLimits,
  ) {}

  @Post(`${REPORTS_PATH.slice(1)}/:id`)
  @HttpCode(204)
  async report(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    void reply.header('cache-control', 'no-store');
    const parameters = parametersOf(request);
    const signature = request.headers['x-twilio-signature'];
    const report = parameters !== undefined &&
      typeof signature === 'string' &&
      isId(id) &&
      !request.url.includes('?') && { id: id as NotificationId, signature, parameters };
    if (report !== false && (await this.verify.isOfAny(report))) {
      if (!(await this.receive.execute(report))) void reply.code(403);
      return;
    }
    // of a provider that was switched off since: that is known to the database only
    const tried = await this.limits.tryReport(request, async () => {
      const isTrue = report !== false && (await this.receive.execute(report));
      return { result: isTrue, failed: !isTrue };
    });
    if ('wait' in tried) return void reply.header('retry-after', String(tried.wait)).code(429);
    if (!tried.result) void reply.code(403);
  }
}

/** Twilio never repeats a parameter: it would be ambiguous which value was signed. */
function parametersOf({ body }: FastifyRequest): Record<string, string> | undefined {
  if (!(body instanceof FormBody)) return undefined;
  const entries = [...new URLSearchParams(body.text)];
  if (entries.length > MOST_PARAMETERS) return undefined;
  const parameters: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of entries) {
    if (name in parameters) return undefined;
    parameters[name] = value;
  }
  return SID.test(parameters['MessageSid'] ?? '') ? parameters : undefined;
}
