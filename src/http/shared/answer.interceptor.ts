import { Injectable, StandardSchemaSerializerInterceptor } from '@nestjs/common';
import { WireAnswer } from '../../domain/idempotency/idempotent-requests.js';

/** Makes the answer of what a handler returns, by the schema of its `@Operation`. */
@Injectable()
export class AnswerInterceptor extends StandardSchemaSerializerInterceptor {
  override async transformToPlain(
    ...[answer, schema, options]: Parameters<StandardSchemaSerializerInterceptor['transformToPlain']>
  ): ReturnType<StandardSchemaSerializerInterceptor['transformToPlain']> {
    // made already: it had to be stored in the transaction of the change
    if (answer instanceof WireAnswer) return answer.wire;
    return await super.transformToPlain(answer, schema, options);
  }
}
