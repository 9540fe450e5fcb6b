import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import de from '../../../locales/console/de/imports.json';
import en from '../../../locales/console/en/imports.json';
import { answered, api, inOrganization } from '../api/client.ts';
import { numberOf, say, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { importKey } from './follow-import.ts';
import { isOver, settledOf, type Import, type ImportState } from './imports.ts';

const t = words({ en, de });

const PAUSABLE: ReadonlySet<ImportState> = new Set(['queued', 'running']);
const CANCELLABLE: ReadonlySet<ImportState> = new Set(['reading', 'queued', 'running', 'paused']);
const UNDOABLE: ReadonlySet<ImportState> = new Set(['done', 'cancelled', 'failed']);

/** What can be done to an import in the state that it is in. */
export function ImportActions({ org, job }: { readonly org: string; readonly job: Import }) {
  const { created, updated, failed, held, total } = job.counts;
  const navigate = useNavigate();
  const params = { ...inOrganization(org), path: { id: job.id } };
  const stale = [importKey(org, job.id), ['imports', org]];
  const pause = useAct({
    call: async () => await answered(api.POST('/management/v1/imports/{id}/_pause', { params })),
    stale,
    done: t.done.paused,
  });
  const resume = useAct({
    call: async () => await answered(api.POST('/management/v1/imports/{id}/_resume', { params })),
    stale,
    done: t.done.resumed,
  });
  const cancel = useAct({
    call: async () => await answered(api.POST('/management/v1/imports/{id}/_cancel', { params })),
    stale,
    done: t.done.cancelled,
  });
  const undo = useAct({
    call: async () => await answered(api.POST('/management/v1/imports/{id}/_undo', { params })),
    stale: [...stale, ['users', org]],
    done: t.done.undone,
  });
  const notify = useAct({
    call: async () => await answered(api.POST('/management/v1/imports/{id}/_notify', { params })),
    stale,
    done: t.done.notified,
  });
  const retry = useAct({
    call: async () => await answered(api.POST('/management/v1/imports/{id}/_retry', { params })),
    stale: [['imports', org]],
    done: t.done.retried,
    onDone: ({ id }) => void navigate({ to: '/orgs/$org/imports/$importId', params: { org, importId: id } }),
  });
  const mayFollowUp = UNDOABLE.has(job.state) && !job.dryRun && job.undo === undefined;
  const done = created + updated;
  return (
    <>
      {PAUSABLE.has(job.state) && (
        <Button variant="default" loading={pause.isPending} onClick={() => pause.mutate()}>
          {t.act.pause}
        </Button>
      )}
      {job.state === 'paused' && (
        <Button loading={resume.isPending} onClick={() => resume.mutate()}>
          {t.act.resume}
        </Button>
      )}
      {CANCELLABLE.has(job.state) && (
        <Confirm
          danger
          label={t.act.cancel}
          title={`${t.act.cancel}: ${job.fileName ?? t.unnamed}`}
          text={
            total === undefined
              ? t.act.cancelTextUnknown
              : say(t.act.cancelText, { done, rest: total - settledOf(job) })
          }
          isWorking={cancel.isPending}
          onConfirm={() => cancel.mutate()}
        />
      )}
      {mayFollowUp && held > 0 && job.notified === undefined && (
        <Confirm
          variant="filled"
          label={t.act.notify}
          title={t.act.notify}
          text={say(t.act.notifyText, { held })}
          isWorking={notify.isPending}
          onConfirm={() => notify.mutate()}
        />
      )}
      {isOver(job) && failed > 0 && (
        <Confirm
          label={t.act.retry}
          title={t.act.retry}
          text={say(t.act.retryText, { failed })}
          isWorking={retry.isPending}
          onConfirm={() => retry.mutate()}
        />
      )}
      {mayFollowUp && created > 0 && job.notified !== 'running' && (
        <Confirm
          danger
          label={t.act.undo}
          title={`${t.act.undo}: ${numberOf(created)}`}
          text={say(t.act.undoText, { created })}
          word={t.act.undoWord}
          isWorking={undo.isPending}
          onConfirm={() => undo.mutate()}
        />
      )}
    </>
  );
}
