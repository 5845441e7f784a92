"""Small language models of transformers with random weights, and plans that spread them over ranks."""

import torch
import transformers
from torch.distributed.tensor import Replicate, Shard

LAYERS = 2
KINDS = ["Llama", "Qwen2", "Mixtral"]
# Heads, hidden and inner sizes that 2, 3 and 4 ranks can share.
_SIZES = {
    "hidden_size": 48,
    "intermediate_size": 96,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": 12,
    "num_key_value_heads": 12,
    "vocab_size": 120,
    "pad_token_id": 0,
}


def config(kind):
    own = {"num_local_experts": 4, "num_experts_per_tok": 2} if kind == "Mixtral" else {}
    return getattr(transformers, f"{kind}Config")(**_SIZES, **own, tie_word_embeddings=False)


def model(kind):
    torch.manual_seed(1)
    return getattr(transformers, f"{kind}ForCausalLM")(config(kind))


def tokens(batch, length):
    return torch.randint(1, _SIZES["vocab_size"], (batch, length), generator=torch.Generator().manual_seed(2))


def _block(styles, kind):
    """The rules of a block behind the attention."""
    into = {"input_layouts": (Shard(1),), "desired_input_layouts": (Replicate(),)}
    if kind == "Mixtral":  # whose experts are the same on all ranks
        back = {"output_layouts": (Replicate(),), "desired_output_layouts": (Shard(1),)}
        both = {**into, **back, "use_local_input": True, "use_local_output": False}
        return {"mlp": styles.PrepareModuleInputOutput(**both)}
    return {
        "mlp": styles.PrepareModuleInput(**into),
        **{f"mlp.{name}": styles.ColwiseParallel() for name in ("gate_proj", "up_proj")},
        "mlp.down_proj": styles.RowwiseParallel(output_layouts=Shard(1), use_local_output=False),
    }


def sequence_parallel(styles, kind):
    """Activations are cut along the sequence between the linear layers."""
    whole = {
        "input_kwarg_layouts": {"hidden_states": Shard(1)},
        "desired_input_kwarg_layouts": {"hidden_states": Replicate()},
    }
    layer = {
        "input_layernorm": styles.SequenceParallel(),
        "post_attention_layernorm": styles.SequenceParallel(),
        "self_attn": styles.PrepareModuleInput(**whole),
        **{f"self_attn.{name}": styles.ColwiseParallel() for name in ("q_proj", "k_proj", "v_proj")},
        "self_attn.o_proj": styles.RowwiseParallel(output_layouts=Shard(1), use_local_output=False),
        **_block(styles, kind),
    }
    return {
        "model.embed_tokens": styles.RowwiseParallel(
            input_layouts=Replicate(), output_layouts=Shard(1), use_local_output=False
        ),
        **{f"model.layers.*.{name}": style for name, style in layer.items()},
        "model.norm": styles.SequenceParallel(),
        "lm_head": styles.ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate()),
    }
