import { Delete, Get, Param, Patch, Post, Put } from '@nestjs/common';
import { Call, type ScimAnswer, type ScimCall } from './scim-call.js';
import { ScimController } from './scim-controller.js';
import { UserCalls } from './user-calls.js';

/** RFC 7644 §3.2: the people of the organization in the path. */
@ScimController('/Users')
export class ScimUsersController {
  constructor(private readonly users: UserCalls) {}

  @Get()
  async list(@Call() call: ScimCall): Promise<ScimAnswer> {
    return await this.users.list(call);
  }

  @Post('.search')
  async search(@Call() call: ScimCall): Promise<ScimAnswer> {
    return await this.users.list({ ...call, query: call.body });
  }

  @Post()
  async create(@Call() call: ScimCall): Promise<ScimAnswer> {
    return await this.users.create(call);
  }

  @Get(':id')
  async find(@Call() call: ScimCall, @Param('id') id: string): Promise<ScimAnswer> {
    return await this.users.find(call, id);
  }

  @Put(':id')
  async replace(@Call() call: ScimCall, @Param('id') id: string): Promise<ScimAnswer> {
    return await this.users.replace(call, id);
  }

  @Patch(':id')
  async patch(@Call() call: ScimCall, @Param('id') id: string): Promise<ScimAnswer> {
    return await this.users.patch(call, id);
  }

  @Delete(':id')
  async delete(@Call() call: ScimCall, @Param('id') id: string): Promise<ScimAnswer> {
    return await this.users.delete(call, id);
  }
}
