import { setTimeout as wait } from 'node:timers/promises';
import { Get, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ENDED_STATES, type ImportJob } from '../../domain/imports/import-job.js';
import { ImportJobs } from '../../domain/imports/import-jobs.js';
import type { ImportJobId, OrgId } from '../../domain/shared/ids.js';
import { Log } from '../../domain/shared/log.js';
import { ApiController } from '../shared/api-controller.js';
import { bounded, noticed } from '../shared/bounded-stream.js';
import { ActingOrg, CallerParam, type Caller } from '../shared/caller.js';
import { Operation } from '../shared/operation.js';
import { RecheckPermission, whileAllowed } from '../shared/recheck-permission.js';
import { RequestSlots } from '../shared/server/request-slots.js';
import { EventStream } from './event-stream.js';
import { csvOf, ndjsonOf } from './import-results.js';
import { followQuery, importAnswer, importPaceEvent, resultsQuery } from './import.schemas.js';
import { Import } from './imports.controller.js';
import { PaceStream } from './pace-stream.js';

const LOOK_EVERY_MS = 1_000;
/** Proxies close what is silent for longer. */
const HEARTBEAT_MS = 15_000;
/** A client that wants more connects again, and its token is checked again. */
const LONGEST_MS = 3_600_000;

/** Progress of a running import, and the results of its records. */
@ApiController('management/v1/imports/:id')
export class ImportStreamsController {
  constructor(
    private readonly imports: ImportJobs,
    private readonly slots: RequestSlots,
    private readonly recheck: RecheckPermission,
    private readonly log: Log,
  ) {}

  @Get('events')
  @Operation({
    summary: 'Follow an import',
    description:
      'Server-sent events: `progress` when its counts change, `state` when its state does, `done` when it has ended, ' +
      'each with the import as its data. With `pace=true` also `pace`, for a chart: `{"from": 0, "steps": […]}` with the ' +
      'steps of `GET …/pace`. The first has all of them; each further one has those that the chart lacks, from the ' +
      '`from`-th on, counted from 0: they replace what it has from there. The stream ends with the import, with the right to look at it, or after an hour.',
    permission: 'user.import',
    download: { 'text/event-stream': 'Events with an import each.' },
    answer: z.string(),
  })
  async follow(
    @ActingOrg() orgId: OrgId,
    @CallerParam() { userId, acting }: Caller,
    @Import() id: ImportJobId,
    @Req() request: FastifyRequest,
    @Query({ schema: followQuery }) { pace }: z.output<typeof followQuery>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const recheck = this.recheck.by(request, 'user.import');
    const first = await this.imports.view(orgId, id, acting);
    const giveBack = this.slots.take('import progress', userId, orgId);
    const gone = new AbortController();
    request.raw.socket.once('close', () => gone.abort());
    reply.raw.once('close', () => gone.abort());
    reply.hijack();
    reply.raw.writeHead(200, {
      ...stringHeaders(reply),
      'content-type': 'text/event-stream; charset=utf-8',
      // some proxies gather what they pass on
      'x-accel-buffering': 'no',
    });
    const stream = new EventStream(reply.raw);
    try {
      await this.stream(first, stream, pace, gone.signal, async () => {
        await recheck();
        return await this.imports.view(orgId, id, acting);
      });
    } catch (error) {
      if (!gone.signal.aborted) {
        this.log.warn('a stream of an import ended early', { importId: id, error: String(error) });
      }
    } finally {
      giveBack();
      stream.end();
    }
  }

  private async stream(
    first: ImportJob,
    stream: EventStream,
    withPace: boolean,
    gone: AbortSignal,
    recheck: () => Promise<ImportJob>,
  ): Promise<void> {
    const began = performance.now();
    const told = new PaceStream();
    let [job, last, heard] = [first, undefined as ImportJob | undefined, began];
    for (;;) {
      const ended =
        ENDED_STATES.includes(job.state) && job.undo?.state !== 'running' && job.notified !== 'running';
      if (withPace && told.isDue(job)) {
        const news = told.tell(await this.imports.paceOf(job), job);
        if (news !== undefined) {
          await stream.send('pace', importPaceEvent.parse(news));
          heard = performance.now();
        }
      }
      // after its pace: whoever hears of the end has the whole chart
      if (ended || hasChanged(last, job)) {
        const event = ended ? 'done' : last?.state === job.state ? 'progress' : 'state';
        await stream.send(event, importAnswer.parse(job));
        heard = performance.now();
      }
      if (ended || performance.now() - began > LONGEST_MS) return;
      last = job;
      await wait(LOOK_EVERY_MS, undefined, { signal: gone });
      job = await recheck();
      if (performance.now() - heard >= HEARTBEAT_MS) {
        await stream.beat();
        heard = performance.now();
      }
    }
  }

  @Get('results')
  @Operation({
    summary: 'Download what became of the records',
    description:
      'In the order of the file, as far as it has come. No hash and no value of a record is in it. The download breaks ' +
      'off, without a proper end, once the token or the permission is gone.',
    permission: 'user.import',
    download: {
      'application/x-ndjson': 'An object a line.',
      'text/csv': 'With a header row; cells that a spreadsheet would compute begin with an apostrophe.',
    },
    answer: z.string(),
  })
  async results(
    @ActingOrg() orgId: OrgId,
    @CallerParam() { userId, acting }: Caller,
    @Import() id: ImportJobId,
    @Req() request: FastifyRequest,
    @Query({ schema: resultsQuery }) { outcome, format }: z.output<typeof resultsQuery>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const job = await this.imports.view(orgId, id, acting);
    const outcomes = this.imports.results(orgId, job.id, outcome);
    const lines = format === 'csv' ? csvOf(outcomes) : ndjsonOf(outcomes);
    const type = format === 'csv' ? 'text/csv; charset=utf-8; header=present' : 'application/x-ndjson';
    const pieces = whileAllowed(lines, this.recheck.by(request, 'user.import'));
    const giveBack = this.slots.take('import results', userId, orgId);
    const text = bounded((taken) => noticed(pieces, taken), LONGEST_MS, 'a download of results');
    text.once('close', giveBack);
    await reply
      .type(type)
      .header('content-disposition', `attachment; filename="import-${job.id}-results.${format}"`)
      .send(text);
  }
}

function stringHeaders(reply: FastifyReply): Record<string, string> {
  return Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]));
}

/** Counts, state and what follows an end; not the rate, which never stands still. */
function hasChanged(last: ImportJob | undefined, job: ImportJob): boolean {
  const told = ({ state, counts, total, bytes, undo, notified }: ImportJob): string =>
    JSON.stringify([state, counts, total, bytes, undo, notified]);
  return last === undefined || told(last) !== told(job);
}
