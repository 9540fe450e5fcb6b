import { Button } from '@mantine/core';
import { answered, api, inOrganization } from '../api/client.ts';
import { useAct } from '../shared/act.ts';
import { ActivationSwitch } from '../shared/activation-switch.tsx';
import { Confirm } from '../shared/confirm.tsx';
import { nameOf, type User } from './users.ts';

/** What is said of it: of people and of programs in other words. */
interface AccountWords {
  readonly act: Readonly<
    Record<'lock' | 'lockText' | 'unlock' | 'deactivate' | 'deactivateText' | 'activate', string>
  >;
  readonly done: Readonly<Record<'locked' | 'unlocked' | 'deactivated' | 'activated', string>>;
}

interface AccountActionsProperties {
  readonly org: string;
  readonly user: User;
  readonly words: AccountWords;
}

/** Shuts an account out and lets it in again, whoever it is of. */
export function AccountActions({ org, user, words: { act, done } }: AccountActionsProperties) {
  const params = { ...inOrganization(org), path: { id: user.id } };
  const stale = [['users', org]];
  const lock = useAct({
    call: async () => await answered(api.POST('/management/v1/users/{id}/_lock', { params })),
    stale,
    done: done.locked,
  });
  const unlock = useAct({
    call: async () => await answered(api.POST('/management/v1/users/{id}/_unlock', { params })),
    stale,
    done: done.unlocked,
  });
  return (
    <>
      {user.state === 'USER_STATE_LOCKED' ? (
        <Button variant="default" loading={unlock.isPending} onClick={() => unlock.mutate()}>
          {act.unlock}
        </Button>
      ) : (
        user.state !== 'USER_STATE_INACTIVE' && (
          <Confirm
            label={act.lock}
            title={`${act.lock}: ${nameOf(user)}`}
            text={act.lockText}
            isWorking={lock.isPending}
            onConfirm={() => lock.mutate()}
          />
        )
      )}
      <ActivationSwitch
        isActive={user.state !== 'USER_STATE_INACTIVE'}
        isSecondary
        name={nameOf(user)}
        activate={async () => await answered(api.POST('/management/v1/users/{id}/_reactivate', { params }))}
        deactivate={async () => await answered(api.POST('/management/v1/users/{id}/_deactivate', { params }))}
        stale={stale}
        words={{ act, done }}
      />
    </>
  );
}
