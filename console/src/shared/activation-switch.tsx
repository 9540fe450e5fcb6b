import { Button } from '@mantine/core';
import type { QueryKey } from '@tanstack/react-query';
import { useAct } from './act.ts';
import { Confirm } from './confirm.tsx';

interface ActivationSwitchProperties {
  readonly isActive: boolean;
  /** Of what is switched. */
  readonly name: string;
  readonly activate: () => Promise<unknown>;
  readonly deactivate: () => Promise<unknown>;
  /** What was shown and is no longer true. */
  readonly stale: readonly QueryKey[];
  readonly words: {
    readonly act: { readonly activate: string; readonly deactivate: string; readonly deactivateText: string };
    readonly done: { readonly activated: string; readonly deactivated: string };
  };
}

/** Switches something on at once, and off after a question. */
export function ActivationSwitch({
  isActive,
  name,
  stale,
  words: { act, done },
  ...calls
}: ActivationSwitchProperties) {
  const activate = useAct({ call: calls.activate, stale, done: done.activated });
  const deactivate = useAct({ call: calls.deactivate, stale, done: done.deactivated });
  if (!isActive)
    return (
      <Button loading={activate.isPending} onClick={() => activate.mutate()}>
        {act.activate}
      </Button>
    );
  return (
    <Confirm
      label={act.deactivate}
      title={`${act.deactivate}: ${name}`}
      text={act.deactivateText}
      isWorking={deactivate.isPending}
      onConfirm={() => deactivate.mutate()}
    />
  );
}
