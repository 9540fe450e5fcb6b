import de from '../../../locales/console/de/keys.json';
import en from '../../../locales/console/en/keys.json';
import type { Answered } from '../api/client.ts';
import { dayOf, say, words } from '../app/words.ts';

const { timeline: t, opaque } = words({ en, de });

export type Key = NonNullable<Answered<'/admin/v1/keys', 'get'>['result']>[number];
export type Takeover = Answered<'/admin/v1/keys/schedule', 'get'>['takeovers'][number];

/** What a key is for: its algorithm, or that it seals opaque tokens. */
export function labelOf(algorithm: Key['algorithm']): string {
  return algorithm === 'opaque' ? opaque : algorithm;
}

type Phase = 'published' | 'signs' | 'verifies';
const PHASES: readonly Phase[] = ['published', 'signs', 'verifies'];

interface Span {
  readonly phase: Phase;
  readonly from: number;
  readonly to: number;
}

interface Lane {
  readonly key: string;
  readonly label: string;
  readonly isPlanned: boolean;
  readonly spans: readonly Span[];
}

interface TimelineProperties {
  readonly keys: readonly Key[];
  readonly takeovers: readonly Takeover[];
}

/** Each key as a bar: published, then signing, then verifying only. The list below it says the same in words. */
export function KeyTimeline({ keys, takeovers }: TimelineProperties) {
  const now = Date.now();
  const lanes = lanesOf(keys, takeovers, now);
  const spans = lanes.flatMap((lane) => lane.spans);
  const start = Math.min(now, ...spans.map(({ from }) => from));
  const end = Math.max(now, ...spans.map(({ to }) => to));
  const percent = (at: number) => `${((at - start) / Math.max(1, end - start)) * 100}%`;
  return (
    <figure className="key-timeline" aria-label={say(t.summary, { count: lanes.length })}>
      <div className="key-timeline-lanes" aria-hidden>
        {lanes.map((lane) => (
          <div key={lane.key} className="key-timeline-lane" data-planned={lane.isPlanned}>
            <span>{lane.label}</span>
            <div>
              {lane.spans.map(({ phase, from, to }) => (
                <i
                  key={phase}
                  data-phase={phase}
                  style={{
                    insetInlineStart: percent(from),
                    inlineSize: `calc(${percent(to)} - ${percent(from)})`,
                  }}
                />
              ))}
              <b style={{ insetInlineStart: percent(now) }} />
            </div>
          </div>
        ))}
        <div className="key-timeline-lane">
          <span />
          <div className="key-timeline-dates">
            <span>{dayOf(new Date(start).toISOString())}</span>
            <span>{dayOf(new Date(end).toISOString())}</span>
          </div>
        </div>
      </div>
      <figcaption>
        {PHASES.map((phase) => (
          <span key={phase}>
            <i data-phase={phase} />
            {t.phases[phase]}
          </span>
        ))}
        <span>
          <b />
          {t.now}
        </span>
      </figcaption>
    </figure>
  );
}

function lanesOf(keys: readonly Key[], takeovers: readonly Takeover[], now: number): readonly Lane[] {
  const made = keys
    .filter(({ state }) => state !== 'STATE_REMOVED')
    .map((key) => ({
      key: key.id,
      label: labelOf(key.algorithm),
      isPlanned: false,
      spans: spansOf(key, takeovers, now),
    }));
  const planned = takeovers
    .filter(({ id }) => id === undefined)
    .map(({ algorithm, publishedAt, activatesAt }) => ({
      key: `next ${algorithm}`,
      label: say(t.next, { algorithm: labelOf(algorithm) }),
      isPlanned: true,
      spans: [span('published', Math.max(now, timeOf(publishedAt)), timeOf(activatesAt))],
    }));
  return [...made, ...planned];
}

/** A key signs until the next of its kind takes over; where none is planned, at least until now. */
function spansOf(key: Key, takeovers: readonly Takeover[], now: number): readonly Span[] {
  const published = timeOf(key.details.creationDate);
  const signsFrom = timeOf(key.activeSince ?? key.activatesAt, published);
  const next = takeovers.find(({ algorithm }) => algorithm === key.algorithm);
  const takenOver = key.state === 'STATE_ACTIVE' ? next?.activatesAt : undefined;
  // one that is overdue goes on signing
  const signsTo = timeOf(key.inactiveSince, Math.max(now, signsFrom, timeOf(takenOver)));
  const verifiesTo = timeOf(key.removableAt, signsTo);
  return [
    span('published', published, signsFrom),
    span('signs', signsFrom, signsTo),
    span('verifies', signsTo, verifiesTo),
  ].filter(({ from, to }) => to > from);
}

function span(phase: Phase, from: number, to: number): Span {
  return { phase, from, to };
}

function timeOf(at: string | undefined, otherwise = 0): number {
  return at === undefined || at === '' ? otherwise : new Date(at).getTime();
}
