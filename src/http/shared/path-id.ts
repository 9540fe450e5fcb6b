import type { PipeTransform } from '@nestjs/common';
import type { ApiError } from '../../domain/shared/errors.js';
import { isId } from '../../domain/shared/ids.js';

/** An id in a path. What no id can look like is answered as an id that nobody has, and never reaches the database. */
export class PathId implements PipeTransform<string, string> {
  constructor(private readonly notFound: () => ApiError) {}

  transform(value: string): string {
    if (!isId(value)) throw this.notFound();
    return value;
  }
}
