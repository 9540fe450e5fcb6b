import { Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NoteDataDownload } from '../../domain/accounts/note-data-download.js';
import { UnitOfWork } from '../../domain/shared/unit-of-work.js';
import { renderAccountDataPage } from '../../pages/account-data-page.js';
import { CallerLimits } from '../shared/caller-limits.js';
import { AccountController } from './account-controller.js';
import { AccountVisits } from './account-visits.js';
import { ownChange } from './own-change.js';
import { OwnData } from './own-data.js';

const STEP = 'data';
const PATH = '/account/data';

/**
 * A copy of one's own data. It contains all personal data, so it needs a fresh authentication, and is limited to a few a
 * minute. An event records each download.
 */
@AccountController(PATH)
export class DataController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly ownData: OwnData,
    private readonly noteDownload: NoteDataDownload,
    private readonly limits: CallerLimits,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = await this.visits.openFresh(request, reply);
    if (visit === undefined) return;
    const form = this.visits.form(visit, STEP, PATH);
    this.visits.send(request, reply, visit, (page) => renderAccountDataPage({ ...page, form }));
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.visits.submittedFresh(request, reply, STEP);
    if (submitted === undefined) return;
    const { visit } = submitted;
    await this.limits.admitCopy(visit.user.id);
    const data = await this.ownData.read(visit);
    await this.unitOfWork.run((tx) => this.noteDownload.execute(tx, ownChange(visit)));
    void reply
      .code(200)
      .headers({
        'content-type': 'application/json; charset=utf-8',
        'content-disposition': 'attachment; filename="account-data.json"',
        'cache-control': 'no-store',
      })
      .send(`${JSON.stringify(data, undefined, 2)}\n`);
  }
}
