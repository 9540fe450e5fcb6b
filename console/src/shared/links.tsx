import {
  Anchor,
  Button,
  NavLink,
  type AnchorProps,
  type ButtonProps,
  type NavLinkProps,
} from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';

/** Links of Mantine that the router knows. */
type Plain = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'style' | 'color'> & {
  readonly ref?: Ref<HTMLAnchorElement>;
};

export const AppLink = createLink((properties: Plain & AnchorProps) => <Anchor {...properties} />);

export const ButtonLink = createLink((properties: Plain & ButtonProps) => (
  <Button component="a" {...properties} />
));

export const PlaceLink = createLink((properties: Plain & NavLinkProps) => (
  <NavLink component="a" {...properties} />
));
