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
  /** How it is asked about, where that is more than the word and the name. */
  readonly title?: string;
  /** In a row: whoever only hears it hears of what. */
  readonly inRow?: boolean;
  /** Where it was on before and is not the next thing to do. */
  readonly isSecondary?: boolean;
  readonly words: {
    readonly act: { readonly activate: string; readonly deactivate: string; readonly deactivateText: string };
    readonly done: { readonly activated: string; readonly deactivated: string };
  };
}

/** Switches something on at once, and off after a question. */
export function ActivationSwitch({
  isActive,
  name,
  title,
  inRow = false,
  isSecondary = false,
  stale,
  words: { act, done },
  ...calls
}: ActivationSwitchProperties) {
  // in a row as quiet as what else can be done there
  const quiet = inRow ? 'subtle' : 'default';
  const variant = isSecondary ? quiet : undefined;
  const activate = useAct({ call: calls.activate, stale, done: done.activated });
  const deactivate = useAct({ call: calls.deactivate, stale, done: done.deactivated });
  if (!isActive)
    return (
      <Button
        {...(inRow && { size: 'xs', 'aria-label': `${act.activate}: ${name}` })}
        variant={variant ?? 'filled'}
        loading={activate.isPending}
        onClick={() => activate.mutate()}
      >
        {act.activate}
      </Button>
    );
  return (
    <Confirm
      {...(inRow && { size: 'xs', inRow })}
      {...(variant !== undefined && { variant })}
      label={act.deactivate}
      title={title ?? `${act.deactivate}: ${name}`}
      text={act.deactivateText}
      isWorking={deactivate.isPending}
      onConfirm={() => deactivate.mutate()}
    />
  );
}
