import { Alert, Box, Button, Group, Stack, Text } from '@mantine/core';
import de from '../../../locales/console/de/app.json';
import en from '../../../locales/console/en/app.json';
import { Refused } from '../api/client.ts';
import { Unanswered } from '../api/limits.ts';
import { elsewhereFor, leaveToSignIn, SessionOver, SIGN_IN_AGAIN, type StepUp } from '../app/session.ts';
import { language, say, words } from '../app/words.ts';
import { useHeld } from './held.ts';
import { refusalWords, ruleWords } from './refusal-words.ts';
import { useMissing, useReport } from './session-over.ts';

const t = words({ en, de });

/** Back here after a sign-in. */
export function here(): string {
  return location.pathname + location.search;
}

/** Ids of messages, such as `(QUERY-pCP8P)`, are for the log; people get the sentence. */
const ID = /\s*\(([A-Z][A-Z0-9]*-\w+)\)$/;

export function sentenceOf(message: string): string {
  const sentence = message.replace(ID, '');
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** What somebody is told who has to set up a second factor first. */
const FACTOR_REQUIRED = 'mfa required';

/** Whoever lacks a permission is told no more by the service. */
const NO_PERMISSION = 'AUTH-5mWD2';

/** What somebody can do about an error. */
export function problemOf(error: unknown): {
  readonly text: string;
  /** What the service itself says, in its language. */
  readonly detail?: string;
  readonly reference?: string | undefined;
  /** Where somebody can do something about it. */
  readonly way?: { readonly href: string; readonly label: string };
} {
  if (error instanceof SessionOver) return { text: t.signIn.over };
  if (error instanceof Unanswered) return { text: t.errors.unanswered };
  if (!(error instanceof Refused)) return { text: t.errors.unreachable };
  const { status, message, reference, retryAfterSeconds, stepUp } = error;
  if (stepUp !== undefined) return { text: t.errors.stepUp };
  // without it, asking less is what helps, and the service says so
  if (status === 429 && retryAfterSeconds !== undefined)
    return { text: say(t.errors.tooMany, { seconds: retryAfterSeconds }) };
  if (status === 403 && message.startsWith(FACTOR_REQUIRED))
    return { text: t.mfa.text, way: { href: '/account/security', label: t.mfa.action } };
  const forbidden = error.isOfInstance ? t.errors.forbiddenInInstance : t.errors.forbidden;
  if (status === 403 && error.id === NO_PERMISSION) return { text: forbidden, reference };
  if (status >= 500) return { text: t.errors.failed, reference };
  const detail = sentenceOf(message);
  const own = refusalWords(error);
  if (own !== undefined) return { text: own, detail, reference };
  if (status === 403) return { text: forbidden, detail, reference };
  if (status === 404) return { text: t.errors.notFound, detail, reference };
  return { text: detail, reference };
}

/** A refusal that was written down as a message alone: in the words of the console where it has some, else in the service's. */
export function Refusal({ message }: { readonly message: string }) {
  const id = ID.exec(message)?.[1];
  const own = language === 'en' ? undefined : ruleWords(id);
  if (own !== undefined) return own;
  return <span lang="en">{sentenceOf(message)}</span>;
}

/** In one line. */
export function problemText(error: unknown): string {
  const { text, detail } = problemOf(error);
  return detail === undefined ? text : `${text} ${detail}`;
}

/** In a notice: with what the log knows it by. */
export function FailureNotice({ error }: { readonly error: unknown }) {
  const { reference } = problemOf(error);
  return (
    <>
      {problemText(error)}
      {reference !== undefined && (
        <Text size="xs" c="dimmed" ff="monospace" mt={4} style={{ overflowWrap: 'anywhere' }}>
          {say(t.errors.reference, { reference })}
        </Text>
      )}
    </>
  );
}

interface ElsewhereProperties {
  /** What a call asked for; undefined where the session is over. */
  readonly stepUp?: StepUp | undefined;
}

/** A sign-in in a tab of its own, for a page that would lose something if it were left. */
export function Elsewhere({ stepUp }: ElsewhereProperties) {
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">
        {stepUp === undefined
          ? `${t.signIn.over}. ${t.signIn.overText}`
          : `${t.errors.stepUp} ${t.errors.stepUpStays}`}
      </Text>
      <ElsewhereButton stepUp={stepUp} />
    </Stack>
  );
}

function ElsewhereButton({ stepUp }: ElsewhereProperties) {
  return (
    <Button
      component="a"
      size="xs"
      href={elsewhereFor(stepUp ?? SIGN_IN_AGAIN)}
      target="_blank"
      rel="noopener"
    >
      {stepUp === undefined ? t.signIn.elsewhere : t.errors.stepUpElsewhere}
    </Button>
  );
}

interface FailureProperties {
  readonly error: unknown;
  readonly onRetry?: () => void;
  /** What the page holds would be lost: nobody is led away from it. */
  readonly stays?: boolean;
}

/** An error where something was asked for, with the way on. That the session is over is said once, above the page. */
export function Failure({ error, onRetry, stays }: FailureProperties) {
  const isKept = useHeld() !== undefined || stays === true;
  if (error instanceof SessionOver && onRetry !== undefined)
    return <NotReadWithoutSession onRetry={onRetry} stays={isKept} isThere={stays === true} />;
  return <Told error={error} stays={isKept} {...(onRetry !== undefined && { onRetry })} />;
}

interface WithoutSessionProperties {
  readonly onRetry: () => void;
  readonly stays: boolean;
  /** What was read before still stands there. */
  readonly isThere: boolean;
}

/** What the notice above the page is about. */
function NotReadWithoutSession({ onRetry, stays, isThere }: WithoutSessionProperties) {
  useReport(true, stays, onRetry);
  return isThere ? null : <NotRead />;
}

/** In place of what could not be read or loaded, where something else on the page says why. */
export function NotRead() {
  return (
    <Text size="sm" c="dimmed" my="md">
      {t.errors.notRead}
    </Text>
  );
}

function Told(properties: FailureProperties) {
  useReport(properties.error instanceof SessionOver, properties.stays === true);
  return <Problem {...properties} />;
}

/** Above a page of which something could not be read because the session is over. */
export function SessionOverNotice() {
  const missing = useMissing();
  if (missing.length === 0 || missing.some(({ onRetry }) => onRetry === undefined)) return null;
  return (
    <Box maw={1200} mx="auto">
      <Problem
        error={new SessionOver()}
        stays={missing.some(({ stays }) => stays)}
        onRetry={() => {
          for (const { onRetry } of missing) onRetry?.();
        }}
      />
    </Box>
  );
}

function Problem({ error, onRetry, stays }: FailureProperties) {
  const { text, detail, reference, way } = problemOf(error);
  const stepUp = error instanceof Refused ? error.stepUp : undefined;
  const isOver = error instanceof SessionOver;
  // the same would be answered again, unless there is something to be done about it first
  const isFinal = error instanceof Refused && [403, 404].includes(error.status) && way === undefined;
  // what is asked for again was only read
  const isOfReading = onRetry !== undefined && error instanceof Refused && error.status >= 500;
  if (stepUp !== undefined && stays === true)
    return (
      <Alert color="red" variant="light" role="alert" my="md">
        <Elsewhere stepUp={stepUp} />
      </Alert>
    );
  return (
    <Alert color="red" variant="light" role="alert" my="md">
      <Stack gap="xs">
        <Text>{isOfReading ? t.errors.notAnswered : text}</Text>
        {detail !== undefined && (
          <Text size="sm" lang="en">
            {detail}
          </Text>
        )}
        {isOver && <Text size="sm">{t.signIn.overText}</Text>}
        {reference !== undefined && (
          <Text size="sm" c="dimmed" ff="monospace">
            {say(t.errors.reference, { reference })}
          </Text>
        )}
        <Group gap="xs">
          {way !== undefined && (
            <Button component="a" size="xs" href={way.href}>
              {way.label}
            </Button>
          )}
          {isOver && <ElsewhereButton />}
          {isOver && stays !== true && (
            <Button size="xs" variant="default" onClick={() => void leaveToSignIn(here(), SIGN_IN_AGAIN)}>
              {t.signIn.here}
            </Button>
          )}
          {stepUp !== undefined && (
            <Button size="xs" onClick={() => void leaveToSignIn(here(), stepUp)}>
              {t.errors.stepUpNow}
            </Button>
          )}
          {onRetry !== undefined && stepUp === undefined && !isFinal && (
            <Button size="xs" variant="default" onClick={onRetry}>
              {t.errors.retry}
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}
