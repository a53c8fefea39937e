"""Prompted against finetuned: a run is one model, one method, one environment; the report puts runs side by side."""
