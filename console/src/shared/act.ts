import { notifications } from '@mantine/notifications';
import { notifyManager, useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { createElement, useRef } from 'react';
import de from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/shared.json';
import { Refused } from '../api/client.ts';
import { needNotices } from '../app/notices.ts';
import { leaveToSignIn, renewedToken, SessionOver } from '../app/session.ts';
import { words } from '../app/words.ts';
import { Elsewhere, FailureNotice, here } from './failure.tsx';
import { isHeld } from './held.ts';

const t = words({ en, de });
needNotices();
const closeButtonProps = { 'aria-label': t.confirm.close };

interface Act<Given, Result> {
  readonly call: (given: Given) => Promise<Result>;
  /** What was shown and is no longer true. */
  readonly stale: readonly QueryKey[];
  readonly done?: string | ((result: Result) => string);
  readonly onDone?: (result: Result) => void;
  /** Shows the error itself. */
  readonly quiet?: boolean;
  /** What the page shows would be lost: a stronger sign-in is offered in another tab, and the next try is made with it. */
  readonly stays?: boolean;
}

/** One notice of it at a time, which goes with what it speaks of. */
const STEP_UP = 'step-up';

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
  const wasTooWeak = useRef(false);
  return useMutation({
    mutationFn: async (given: Given) => {
      // the session may be stronger by now than the token that was refused
      if (wasTooWeak.current) await renewedToken();
      wasTooWeak.current = false;
      return await call(given);
    },
    onSuccess: async (result) => {
      notifications.hide(STEP_UP);
      // first: where it leads away from what was deleted, that is not asked for again
      onDone?.(result);
      await Promise.all(
        stale.map(async (queryKey) => await queries.invalidateQueries({ queryKey: [...queryKey] })),
      );
      // last: whoever reads that it is done goes on with what stands there, which has to be what is stored now; the page hears of
      // what was read a moment after it was
      await new Promise<void>((resolve) => notifyManager.schedule(resolve));
      if (done !== undefined)
        notifications.show({
          message: typeof done === 'string' ? done : done(result),
          color: 'green',
          closeButtonProps,
        });
    },
    onError: (error) => {
      const stepUp = error instanceof Refused ? error.stepUp : undefined;
      const isOver = error instanceof SessionOver && quiet !== true;
      if (stepUp !== undefined && stays !== true && !isHeld()) void leaveToSignIn(here(), stepUp);
      else if (stepUp !== undefined || isOver) {
        wasTooWeak.current = stepUp !== undefined;
        // an earlier notice may say the other of the two, and would stay: its id is the same
        notifications.hide(STEP_UP);
        notifications.show({
          id: STEP_UP,
          message: createElement(Elsewhere, { stepUp }),
          color: 'red',
          autoClose: false,
          closeButtonProps,
        });
      } else if (quiet !== true) {
        notifications.show({
          message: createElement(FailureNotice, { error }),
          color: 'red',
          autoClose: 10_000,
          closeButtonProps,
        });
        // somebody else was faster: what stands there is read again
        if (error instanceof Refused && error.status === 412)
          for (const queryKey of stale) void queries.invalidateQueries({ queryKey: [...queryKey] });
      }
    },
  });
}
