import type { ReactNode } from 'react';
import { Confirm } from './confirm.tsx';
import { Section } from './section.tsx';

interface DecisionProperties {
  readonly title: string;
  readonly lead: ReactNode;
  /** On the button, and on the one that does it. */
  readonly label: string;
  /** Above the question, where it is not what the button says. */
  readonly question?: string;
  /** What will happen, said before it happens. */
  readonly text: ReactNode;
  /** What has to be typed first. */
  readonly word?: string;
  readonly danger?: boolean;
  readonly isWorking: boolean;
  readonly onConfirm: () => void;
  readonly children?: ReactNode;
}

/** A part of a page that is one decision: what it is about, and a button that asks first. */
export function Decision({
  title,
  lead,
  label,
  question = label,
  danger = false,
  children,
  ...confirm
}: DecisionProperties) {
  return (
    <Section
      title={title}
      lead={lead}
      danger={danger}
      action={<Confirm {...confirm} danger={danger} label={label} title={question} />}
    >
      {children}
    </Section>
  );
}
