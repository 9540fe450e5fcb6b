import { Badge } from '@mantine/core';

/** A state as a word with a colour, never as a colour alone. */
export type Tone = 'good' | 'quiet' | 'warning' | 'bad';

const COLOURS: Readonly<Record<Tone, { readonly c: string; readonly bg: string }>> = {
  good: { c: 'var(--success)', bg: 'var(--success-ground)' },
  quiet: { c: 'var(--mantine-color-dimmed)', bg: 'var(--sunken)' },
  warning: { c: 'var(--warning)', bg: 'var(--warning-ground)' },
  bad: { c: 'var(--danger)', bg: 'var(--danger-ground)' },
};

export function State({ tone, label }: { readonly tone: Tone; readonly label: string }) {
  return (
    <Badge {...COLOURS[tone]} miw="max-content">
      {label}
    </Badge>
  );
}
