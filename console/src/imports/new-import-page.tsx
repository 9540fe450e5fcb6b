import { Alert, Button, Group, Modal, Paper, Progress, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useBlocker, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import de from '../../../locales/console/de/imports.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/imports.json';
import shared from '../../../locales/console/en/shared.json';
import { Refused } from '../api/client.ts';
import { renewedToken, SessionOver } from '../app/session.ts';
import { numberOf, say, words } from '../app/words.ts';
import { Failure } from '../shared/failure.tsx';
import { useHold } from '../shared/held.ts';
import { AppLink } from '../shared/links.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { ChooseFile } from './choose-file.tsx';
import { FileCard } from './file-card.tsx';
import { ImportOptions } from './import-options.tsx';
import { ImportTrial } from './import-trial.tsx';
import { encodingOf, formatOf, readFile, type FileSummary, type Format } from './read-file.ts';
import { uploadImport, type UploadOptions } from './upload-import.ts';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });

const USUAL: UploadOptions = { mode: 'insert', notify: 'now', initialState: '', updatePasswords: false };

/** A file is chosen, looked into, tried, and sent. */
export function NewImportPage() {
  const { org = '' } = useParams({ strict: false });
  const [file, setFile] = useState<File>();
  const [format, setFormat] = useState<Format>();
  const [options, setOptions] = useState(USUAL);
  const [trial, setTrial] = useState<string>();
  const summary = useFileSummary(file, format);
  const upload = useUpload(org);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const isLocked = upload.share !== undefined;
  /** Nobody is asked again who has answered, nor where the file has arrived: the next page may have to load anew. */
  const isGoing = useRef(false);
  useHold(file !== undefined, 'file');

  function choose(chosen: File | undefined): void {
    setFile(chosen);
    setFormat(chosen && formatOf(chosen.name));
    setTrial(undefined);
    upload.reset();
  }

  async function send(dryRun: boolean): Promise<void> {
    if (file === undefined || format === undefined) return;
    setTrial(undefined);
    const head = dryRun ? summary?.head : undefined;
    const job = await upload.send({
      file: head === undefined ? file : new Blob([head]),
      fileName: file.name,
      format,
      encoding: head === undefined ? encodingOf(file.name) : undefined,
      options,
      dryRun,
    });
    // also after a stop: the service may have had the whole file
    void queries.invalidateQueries({ queryKey: ['imports', org, 'list'] });
    if (job === undefined) return;
    if (dryRun) setTrial(job.id);
    else {
      isGoing.current = true;
      void navigate({
        to: '/orgs/$org/imports/$importId',
        params: { org, importId: job.id },
        ignoreBlocker: true,
      });
    }
  }

  return (
    <div className="console-page">
      <PageHead
        title={t.new}
        lead={t.newLead}
        back={
          <AppLink size="sm" to="/orgs/$org/imports" params={{ org }}>
            {t.back}
          </AppLink>
        }
      />
      {file === undefined ? (
        <ChooseFile onFile={choose} />
      ) : (
        <>
          <FileCard
            file={file}
            format={format}
            summary={summary}
            isLocked={isLocked}
            onFormat={setFormat}
            onOther={() => choose(undefined)}
          />
          <ImportOptions options={options} summary={summary} isLocked={isLocked} onChange={setOptions} />
          {trial !== undefined && <ImportTrial org={org} id={trial} />}
          {upload.error !== undefined && <Failure error={upload.error} stays />}
          {upload.wasStopped && (
            <Alert color="yellow" variant="light" mb="md" role="status">
              {t.upload.stopped}
            </Alert>
          )}
          <Paper className="save-bar" p="sm">
            {upload.share === undefined ? (
              <Group justify="flex-end" gap="xs">
                <Button
                  variant="default"
                  disabled={format === undefined || summary === undefined}
                  onClick={() => void send(true)}
                >
                  {trialLabel(summary)}
                </Button>
                <Button
                  disabled={format === undefined || summary === undefined}
                  onClick={() => void send(false)}
                >
                  {submitLabel(summary)}
                </Button>
              </Group>
            ) : (
              <Stack gap="xs">
                <Group justify="space-between">
                  <div>
                    <Text size="sm" fw={600} aria-live="polite">
                      {upload.share < 1
                        ? say(t.upload.progress, { percent: Math.floor(upload.share * 100) })
                        : t.upload.reading}
                    </Text>
                    <Text size="sm" c="dimmed">
                      {t.upload.stay}
                    </Text>
                  </div>
                  {upload.share < 1 && (
                    <Button variant="default" onClick={upload.stop}>
                      {t.upload.stop}
                    </Button>
                  )}
                </Group>
                <Progress
                  value={upload.share * 100}
                  animated={upload.share === 1}
                  aria-label={t.upload.submit}
                />
              </Stack>
            )}
          </Paper>
        </>
      )}
      <LeaveGuard
        share={upload.share}
        hasFile={file !== undefined}
        isGoing={() => isGoing.current}
        onLeave={() => {
          isGoing.current = true;
          upload.stop();
        }}
      />
    </div>
  );
}

function trialLabel(summary: FileSummary | null | undefined): string {
  if (summary?.head === undefined) return t.trial.buttonAll;
  const { headRecords, records, isEstimate } = summary;
  if (!isEstimate && headRecords >= records) return say(t.trial.buttonWhole, { count: headRecords });
  return say(t.trial.button, { count: numberOf(headRecords) });
}

function submitLabel(summary: FileSummary | null | undefined): string {
  if (summary === undefined || summary === null) return t.upload.submit;
  return summary.isEstimate
    ? say(t.upload.submitAbout, { count: numberOf(summary.records) })
    : say(t.upload.submitCount, { count: summary.records });
}

/** Undefined while the file is read, null where it cannot be looked into. */
function useFileSummary(file: File | undefined, format: Format | undefined): FileSummary | null | undefined {
  const [summary, setSummary] = useState<FileSummary | null>();
  useEffect(() => {
    setSummary(undefined);
    if (file === undefined || format === undefined) return undefined;
    const gone = new AbortController();
    void readFile(file, format, gone.signal)
      // what is wrong with it is for the service to say
      .catch(() => undefined)
      .then((found) => (gone.signal.aborted ? undefined : setSummary(found ?? null)));
    return () => gone.abort();
  }, [file, format]);
  return summary;
}

type Sending = Omit<Parameters<typeof uploadImport>[0], 'orgId' | 'key' | 'signal' | 'onProgress'>;

/** One upload at a time. `share` is undefined where there is none. */
function useUpload(orgId: string) {
  const [share, setShare] = useState<number>();
  const [error, setError] = useState<unknown>();
  const [wasStopped, setStopped] = useState(false);
  const running = useRef<AbortController>(undefined);
  // what has arrived becomes an import, whether its answer is waited for or not
  const hasArrived = useRef(false);
  // a second try after an error is the same request: the key of what was sent last
  const last = useRef<{ readonly asked: string; readonly file: Blob; readonly key: string }>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  function progress(away: number): void {
    hasArrived.current = away === 1;
    setShare(away);
  }

  async function send(sending: Sending) {
    const gone = new AbortController();
    running.current = gone;
    const { file, ...rest } = sending;
    const asked = JSON.stringify(rest);
    const isAgain = error !== undefined && last.current?.asked === asked && last.current.file === file;
    const key = isAgain ? (last.current?.key ?? crypto.randomUUID()) : crypto.randomUUID();
    last.current = { asked, file, key };
    setError(undefined);
    setStopped(false);
    progress(0);
    try {
      // a sign-in in another tab: the file is still here, and the session has a better token, or is a new one
      const isTooWeak = error instanceof Refused && error.stepUp !== undefined;
      if (isTooWeak || error instanceof SessionOver) await renewedToken();
      return await uploadImport({ ...sending, orgId, key, signal: gone.signal, onProgress: progress });
    } catch (problem) {
      if (gone.signal.aborted) setStopped(true);
      else setError(problem);
      return undefined;
    } finally {
      setShare(undefined);
    }
  }
  return {
    share,
    error,
    wasStopped,
    send,
    stop: () => {
      if (!hasArrived.current) running.current?.abort();
    },
    reset: () => {
      setError(undefined);
      setStopped(false);
    },
  };
}

interface LeaveGuardProperties {
  /** Of the file that is away; undefined where none is sent. */
  readonly share: number | undefined;
  readonly hasFile: boolean;
  readonly isGoing: () => boolean;
  readonly onLeave: () => void;
}

/** Leaving ends an upload that is under way, and forgets a file that was chosen: that is asked about first. */
function LeaveGuard({ share, hasFile, isGoing, onLeave }: LeaveGuardProperties) {
  const isUploading = share !== undefined;
  const chosen = { title: t.file.leave, text: t.file.leaveText, no: s.form.leaveNo, yes: s.form.leaveYes };
  const sent = {
    title: t.upload.leave,
    text: t.upload.leaveText,
    no: t.upload.leaveNo,
    yes: t.upload.leaveYes,
  };
  const arrived = { ...chosen, title: t.upload.leaveArrived, text: t.upload.leaveArrivedText };
  const uploading = share === 1 ? arrived : sent;
  const told = isUploading ? uploading : chosen;
  const blocker = useBlocker({
    shouldBlockFn: () => isUploading || hasFile,
    enableBeforeUnload: () => (isUploading || hasFile) && !isGoing(),
    withResolver: true,
  });
  return (
    <Modal
      opened={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      title={told.title}
      closeButtonProps={{ 'aria-label': s.confirm.close }}
    >
      <Stack>
        <Text>{told.text}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => blocker.reset?.()}>
            {told.no}
          </Button>
          <Button
            color="red"
            onClick={() => {
              onLeave();
              blocker.proceed?.();
            }}
          >
            {told.yes}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
