import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query';
import de from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/shared.json';
import { Refused } from '../api/client.ts';
import { leaveToSignIn } from '../app/session.ts';
import { words } from '../app/words.ts';
import { here, problemText } from './failure.tsx';

const t = words({ en, de });
const closeButtonProps = { 'aria-label': t.confirm.close };

interface Act<Given, Result> {
  readonly call: (given: Given) => Promise<Result>;
  /** What was shown and is no longer true. */
  readonly stale: readonly QueryKey[];
  readonly done?: string | ((result: Result) => string);
  readonly onDone?: (result: Result) => void;
  /** Shows the error itself. */
  readonly quiet?: boolean;
  /** What the page shows would be lost: it says that a stronger sign-in is needed, and does not leave for it by itself. */
  readonly stays?: boolean;
}

/**
 * Something that changes things: it says when it is done and when it was refused, and has what it made untrue read again.
 * What needs a fresh or a stronger sign-in leads there and back; nothing was done by then.
 */
export function useAct<Given = void, Result = unknown>({
  call,
  stale,
  done,
  onDone,
  quiet,
  stays,
}: Act<Given, Result>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: call,
    onSuccess: async (result) => {
      // first: where it leads away from what was deleted, that is not asked for again
      onDone?.(result);
      await Promise.all(
        stale.map(async (queryKey) => await queries.invalidateQueries({ queryKey: [...queryKey] })),
      );
      // last: whoever reads that it is done goes on with what stands there, which has to be what is stored now
      if (done !== undefined)
        notifications.show({
          message: typeof done === 'string' ? done : done(result),
          color: 'green',
          closeButtonProps,
        });
    },
    onError: (error) => {
      if (error instanceof Refused && error.stepUp !== undefined && stays !== true)
        void leaveToSignIn(here(), error.stepUp);
      else if (quiet !== true)
        notifications.show({
          message: problemText(error),
          color: 'red',
          autoClose: 10_000,
          closeButtonProps,
        });
    },
  });
}
