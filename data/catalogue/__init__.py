"""A shop of our own making, in the official formats of WebShop (arXiv 2207.01206), made from a seed.

    python -m data.catalogue --out data --seed 0

kinds.yaml     what is sold: ten categories, sixty kinds of products, their options
features.yaml  what products are praised for, and in which words
tables         both, read
products       a kind -> its products: titles, bullets, descriptions, prices, options
wording        what is wanted -> an instruction, as one of many people would write it
goals          products -> what shoppers are sent for
files          the official files, gzipped
"""
