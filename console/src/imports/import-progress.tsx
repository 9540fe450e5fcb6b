import { Alert, Group, RingProgress, Stack, Text } from '@mantine/core';
import de from '../../../locales/console/de/imports.json';
import en from '../../../locales/console/en/imports.json';
import { momentOf, numberOf, region, say, words } from '../app/words.ts';
import { Facts, Section } from '../shared/section.tsx';
import { Trend } from '../shared/trend.tsx';
import type { PaceNews } from './continued-pace.ts';
import { IMPORT_STATES, isOver, percentOf, reasonOf, settledOf, type Import } from './imports.ts';
import { steadied } from './steady-pace.ts';

const t = words({ en, de });
const clock = new Intl.DateTimeFormat(region, { timeStyle: 'medium' });

interface ProgressProperties {
  readonly job: Import;
  /** Undefined until it was read. */
  readonly pace: PaceNews['steps'] | undefined;
  readonly isLost: boolean;
}

/** How far an import is, and how fast it goes. */
export function ImportProgress({ job, pace = [], isLost }: ProgressProperties) {
  const percent = percentOf(job);
  const { total } = job.counts;
  const settled = settledOf(job);
  const isEnded = isOver(job);
  return (
    <Section title={t.progress.title}>
      <Messages job={job} isLost={isLost} />
      <Group align="center" gap="xl" mb="md">
        <RingProgress
          size={132}
          thickness={12}
          roundCaps
          rootColor="var(--sunken)"
          role="progressbar"
          aria-valuemin={0}
          aria-valuemax={100}
          {...(percent !== undefined && { 'aria-valuenow': percent })}
          aria-label={
            percent === undefined ? IMPORT_STATES[job.state].label : say(t.progress.ring, { percent })
          }
          sections={ringOf(job, percent ?? 0)}
          label={
            <Text ta="center" fw={650} size="xl">
              {percent === undefined ? '…' : `${percent} %`}
            </Text>
          }
        />
        <Stack gap="xs" style={{ flex: '1 1 280px' }}>
          <Text fw={600} size="lg" aria-live="polite">
            {total === undefined
              ? say(t.progress.unknown, { settled: numberOf(settled) })
              : say(t.progress.ofRecords, { settled: numberOf(settled), total: numberOf(total) })}
          </Text>
          <Facts
            facts={[
              [
                isEnded ? t.progress.average : t.progress.rate,
                job.rate === undefined ? undefined : numberOf(Math.round(job.rate)),
              ],
              [
                t.progress.eta,
                isEnded || job.etaSeconds === undefined ? undefined : durationOf(job.etaSeconds),
              ],
              [t.progress.took, isEnded ? tookOf(job) : undefined],
              [t.progress.begun, momentOf(job.startedAt ?? job.details.creationDate)],
              [t.progress.ended, momentOf(job.finishedAt)],
            ]}
          />
        </Stack>
        <Counts job={job} />
      </Group>
      {(!isEnded || pace.length > 1) && (
        <Trend
          title={t.progress.chart}
          unit={t.progress.rate}
          points={steadied(pace).map(({ at, rate }) => ({
            label: clock.format(new Date(at)),
            value: Math.round(rate),
          }))}
          empty={t.progress.chartEmpty}
        />
      )}
    </Section>
  );
}

/** The part of what is done that failed stands out. */
function ringOf(job: Import, percent: number) {
  const settled = settledOf(job);
  const failed = settled === 0 ? 0 : (percent * job.counts.failed) / settled;
  return [
    { value: percent - failed, color: job.state === 'failed' ? 'red' : 'accent' },
    { value: failed, color: 'red' },
  ].filter(({ value }) => value > 0);
}

function Counts({ job: { counts } }: { readonly job: Import }) {
  return (
    <div className="counts">
      {(['created', 'updated', 'skipped', 'failed'] as const).map((kind) => (
        <div key={kind}>
          <Text fw={650} size="xl" {...(kind === 'failed' && counts.failed > 0 && { c: 'var(--danger)' })}>
            {numberOf(counts[kind])}
          </Text>
          <Text size="sm" c="dimmed">
            {t.outcomes[kind]}
          </Text>
        </div>
      ))}
    </div>
  );
}

/** What somebody has to know beside the numbers. */
function Messages({ job, isLost }: { readonly job: Import; readonly isLost: boolean }) {
  const { undo, notified, counts } = job;
  const reason = reasonOf(job);
  const numbers = undo && { removed: numberOf(undo.removed), kept: numberOf(undo.kept) };
  const messages = [
    isLost && !isOver(job) ? t.progress.lost : undefined,
    job.dryRun ? t.progress.dryRun : undefined,
    numbers && say(undo?.state === 'running' ? t.progress.undoing : t.progress.undone, numbers),
    notified === 'running' ? t.progress.notifying : undefined,
    notified === 'done' ? t.progress.notified : undefined,
    notified === undefined && counts.held > 0 ? say(t.progress.held, { held: counts.held }) : undefined,
  ].filter((message) => message !== undefined);
  return (
    <>
      {reason !== undefined && (
        <Alert color="red" variant="light" mb="md">
          {reason}
        </Alert>
      )}
      {messages.map((message) => (
        <Text key={message} c="dimmed" mb="md" maw="65ch">
          {message}
        </Text>
      ))}
    </>
  );
}

function tookOf({ startedAt, finishedAt }: Import): string | undefined {
  if (startedAt === undefined || finishedAt === undefined) return undefined;
  return durationOf((Date.parse(finishedAt) - Date.parse(startedAt)) / 1000);
}

function durationOf(seconds: number): string {
  if (seconds < 1) return t.progress.underSecond;
  if (seconds < 90) return say(t.progress.seconds, { count: Math.round(seconds) });
  if (seconds < 5400) return say(t.progress.minutes, { count: Math.round(seconds / 60) });
  return say(t.progress.hours, { count: Math.round(seconds / 3600) });
}
