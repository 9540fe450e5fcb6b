import { Stack, Text } from '@mantine/core';
import type { QueryKey } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAct } from './act.ts';
import { Decision } from './decision.tsx';

interface DeletionProperties {
  readonly title: string;
  /** On the button. */
  readonly label: string;
  /** What it is called, for whoever reads the question. */
  readonly name: string;
  /** What goes with it, said before. */
  readonly text: string;
  /** What the question says besides, once it is asked. */
  readonly reach?: ReactNode;
  /** What has to be typed: its name, or what is told apart by. */
  readonly word: string;
  readonly remove: () => Promise<unknown>;
  /** Lists that had it. Its own page is not among them: that would look for what is gone. */
  readonly stale: readonly QueryKey[];
  readonly done: string;
  /** Leads away. */
  readonly onGone: () => void;
}

/** The end of a thing, apart from everything else on its page, after its name was typed. */
export function Deletion({
  title,
  label,
  name,
  text,
  reach,
  word,
  remove,
  stale,
  done,
  onGone,
}: DeletionProperties) {
  const act = useAct({ call: remove, stale, done, onDone: onGone });
  return (
    <Decision
      danger
      title={title}
      lead={text}
      label={label}
      question={`${label}: ${name}`}
      text={
        <Stack gap="xs">
          <Text>{text}</Text>
          {reach}
        </Stack>
      }
      word={word}
      isWorking={act.isPending}
      onConfirm={() => act.mutate()}
    />
  );
}
